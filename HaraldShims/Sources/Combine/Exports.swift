// Without the trait nobody depends on this module, and nothing is in it.
#if Combine
@_exported import OpenCombine
@_exported import OpenCombineDispatch
@_exported import OpenCombineFoundation
#endif
