@_exported public import StateRestoration
