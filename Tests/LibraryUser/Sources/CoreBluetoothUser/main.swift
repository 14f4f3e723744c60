import CoreBluetooth
import CoreBluetooth.CBCentralManager
import CoreBluetooth.CBError
import CoreBluetooth.CBUUID
import CoreFoundation

final class Watcher: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        print("the state of an adapter that is not there is unsupported: \(central.state == .unsupported)")
        exit(central.state == .unsupported ? 0 : 1)
    }
}

// The clock of Core Foundation, and an enumeration that accepts codes of an application.
let began: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
guard began > 0, CBATTError.Code(rawValue: 0x80)?.rawValue == 0x80 else { exit(1) }
setenv("HARALD_ADAPTER", "unix:/nowhere/hci", 1)
let watcher = Watcher()
let manager = CBCentralManager(delegate: watcher, queue: nil)
RunLoop.main.run()
