import CoreBluetooth
import CoreBluetoothExamples

// The same without a run loop: `dispatchMain()` serves the main queue.
setlinebuf(stdout)
let monitor = HeartRateMonitor { line in
    print(line)
    if line.hasPrefix("battery") { exit(0) }
}
dispatchMain()
