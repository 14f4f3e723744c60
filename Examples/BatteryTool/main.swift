import CoreBluetooth
import CoreBluetoothExamples

// The same without a run loop: `dispatchMain()` serves the main queue.
let monitor = HeartRateMonitor { line in
    print(line)
    fflush(nil)  // a pipe gets each line at once
    if line.hasPrefix("battery") { exit(0) }
    if line == "there is no Bluetooth here" { exit(1) }
}
dispatchMain()
