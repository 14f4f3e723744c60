// Without the trait this module is empty, and no target depends on it.
#if Combine
@_exported import OpenCombine
@_exported import OpenCombineDispatch
@_exported import OpenCombineFoundation
#endif
