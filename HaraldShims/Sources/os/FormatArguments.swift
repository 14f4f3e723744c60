import Foundation

// Each object can be an argument of `os_log`: "%@" is replaced by its description. The module CoreBluetooth, which does
// not depend on this package, declares the same.

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
