import CoreBluetooth

final class Watcher: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        print("the state of an adapter that is not there is unsupported: \(central.state == .unsupported)")
        exit(central.state == .unsupported ? 0 : 1)
    }
}

setenv("HARALD_ADAPTER", "unix:/nowhere/hci", 1)
let watcher = Watcher()
let manager = CBCentralManager(delegate: watcher, queue: nil)
RunLoop.main.run()
