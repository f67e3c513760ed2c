// The C library of each system, under one name: the only file that knows what the modules are called.

#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#elseif canImport(Android)
  @_exported public import Android
#elseif canImport(WASILibc)
  @_exported public import WASILibc
#elseif canImport(ucrt)
  @_exported public import ucrt
  @_exported public import WinSDK
#endif
