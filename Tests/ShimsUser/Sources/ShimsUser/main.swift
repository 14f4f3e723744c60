import Combine
import CoreBluetooth
import VirtualTransport
import os

// The app's store on a virtual radio, until the device is switched off.
let radio = VirtualRadio()
HaraldDefaults.adapter = radio.source(named: "phone")
let battery = Battery(on: radio.source(named: "battery"))
let store = BatteryStore()

for failure in failedOperators() {
    print("failed: \(failure)")
    exit(1)
}
var changes = 0
var cancellables: Set<AnyCancellable> = []
store.objectWillChange.sink { changes += 1 }.store(in: &cancellables)
store.$level.compactMap { $0 }.sink { level in
    print("the battery is at \(level) %")
    Task { await radio.setPowered(false, adapterNamed: "battery") }
}.store(in: &cancellables)

// The end of both, in whichever order.
var failure: BatteryFailure?
var interval: [Int]?
func exitIfDone() {
    guard let failure, let interval else { return }
    print("\(failure) after \(store.eventCount) events, \(changes) changes")
    print("the states \(store.states), the interval \(interval)")
    let isObserved = store.states == [.disconnected, .connecting, .connected, .disconnected]
    exit(failure == .disconnected && store.level == 87 && changes >= 3 && isObserved && interval == [1, 2] ? 0 : 1)
}
let collection = collectByTime {
    interval = $0
    exitIfDone()
}
store.failures.receive(on: RunLoop.main).sink {
    failure = $0
    exitIfDone()
}.store(in: &cancellables)
RunLoop.main.run()
