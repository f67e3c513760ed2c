// `Date`, `Data`, `URL` and `UUID`, under one name. Where FoundationEssentials exists, no program loads all of Foundation.

#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif
