import Foundation

// On Apple's systems each object can be an argument of `NSLog`, `os_log` and `String(format:)`: "%@" is replaced by its
// description. Foundation on Linux offers that for strings only. HaraldShims declares the same for programs that import
// only `os`.

extension NSObject: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Array: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject {}
extension Data: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The octets, as of `NSData`.
    public var _cVarArgObject: any CVarArg { (self as NSData)._cVarArgObject }
}

extension _CVarArgObject where Self: CustomStringConvertible {
    /// The description, which takes the place of the value among the arguments.
    public var _cVarArgObject: any CVarArg { description._cVarArgObject }
    /// Nothing: the description is the argument.
    public var _cVarArgEncoding: [Int] { [] }
}
