import CoreBluetooth
import CoreBluetoothExamples

// A command-line program as on Apple's systems: callbacks on the main queue, which the run loop serves.
var count = 0
let monitor = HeartRateMonitor { line in
    print(line)
    fflush(nil)  // a pipe gets each line at once
    if line == "disconnected" { exit(0) }
    if line == "there is no Bluetooth here" { exit(1) }
    guard line.hasPrefix("heart rate") else { return }
    count += 1
    if count == 3 { stop() }
}
func stop() { monitor.end() }
RunLoop.main.run()
