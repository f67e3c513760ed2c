@_exported public import RestorationArchive
