import CoreBluetooth
import Testing

/// Compares the declarations of CoreBluetooth with those of Apple's, and records the compared ones.
final class Surface {
    private(set) var names: [String] = []

    /// Records a symbol that exists: the line that names it compiles.
    func note(_ name: String) { names.append(name) }

    /// A property, a method or an initializer, and the type that it is declared with.
    func check<Value>(_ name: String, _ value: Value, _ declared: Any.Type) {
        note(name)
        #expect(Value.self == declared, "\(name)")
    }

    /// A raw value.
    func check(_ name: String, _ value: Int, _ declared: Int) {
        note(name)
        #expect(value == declared, "\(name)")
    }

    /// The text of a constant.
    func check(_ name: String, _ value: String, _ declared: String) {
        note(name)
        #expect(value == declared, "\(name)")
    }
}

// The conformances of each kind of type.
func optionSet<Options: OptionSet & Sendable>(_ type: Options.Type) where Options.RawValue == UInt {}
func integerEnum<Case: RawRepresentable & Hashable & Sendable>(_ type: Case.Type) where Case.RawValue == Int {}
func hashable<Key: RawRepresentable & Hashable>(_ type: Key.Type) where Key.RawValue == String {}
func copying(_ type: any NSCopying.Type) {}
func errorCode<Code: _ErrorCodeProtocol & RawRepresentable & Hashable & Sendable>(_ type: Code.Type)
where Code.RawValue == Int {}
func storedError<Failure: _BridgedStoredNSError & Error & Hashable>(_ type: Failure.Type) {}

// Delegates that have only the methods that are required: the others are optional.

final class CentralProbe: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}

final class PeripheralProbe: NSObject, CBPeripheralDelegate {}

final class PeripheralManagerProbe: NSObject, CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}
