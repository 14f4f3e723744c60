// Stores readings in batches by the library, for Benchmarks/hub.py: HubBench FILE COUNT BATCH. Prints
// {"rows_per_second":...}, without the time in which the readings are made up.
#if Programs
import Foundation
import HealthHub

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[2]), let size = Int(arguments[3]), count > 0, size > 0 else {
    print("usage: HubBench FILE COUNT BATCH")
    exit(64)
}
let store = try HubStore(path: arguments[1], assessor: Assessor())
let person = try store.addPerson(name: "Anna", born: "1961-04-30")
_ = try store.assign("BENCH", to: person.id)

/// A blood pressure measurement with a time of its own (Blood Pressure Service 1.1.1, 3.1.1).
func reading(_ number: Int) -> SubmittedReading {
    var reading = SubmittedReading()
    reading.device = .init(serial: "BENCH")
    reading.characteristic = "2A35"
    reading.clockOffset = 0
    let minutes = number / 60
    let bytes = [
        0x0E, 100 + number % 80, 0, 60 + number % 30, 0, 80, 0, 0xEA, 0x07, 1 + minutes / 40320 % 12,
        1 + minutes / 1440 % 28, minutes / 60 % 24, minutes % 60, number % 60, 60 + number % 40, 0, 1,
    ]
    reading.hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return reading
}

let batches = stride(from: 0, to: count, by: size).map { first in (first..<min(first + size, count)).map(reading) }
let clock = ContinuousClock()
let time = try clock.measure {
    for batch in batches { _ = try store.store(batch, gateway: "bench") }
}
try store.close()
print(#"{"rows_per_second":\#(Int(Double(count) / (time / .seconds(1))))}"#)
#endif
