// Stores readings in batches with the library, for Benchmarks/hub.py: HubBench FILE COUNT BATCH PEOPLE. Prints
// {"rows_per_second":...}, without the time for generating the readings.
import Foundation
import HealthHub

let arguments = CommandLine.arguments.dropFirst(2).compactMap(Int.init)
guard CommandLine.arguments.count == 5, arguments.count == 3, arguments.allSatisfy({ $0 > 0 }) else {
    print("usage: HubBench FILE COUNT BATCH PEOPLE")
    exit(64)
}
let (count, size, people) = (arguments[0], arguments[1], arguments[2])
let store = try HubStore(path: CommandLine.arguments[1], assessor: Assessor())
for number in 0..<people {
    let person = try store.addPerson(PersonChange(name: "Person \(number)", born: "1961-04-30"))
    _ = try store.assign("BENCH-\(number)", to: person.id)
}

/// A blood pressure measurement; those of a person have an hour between them (Blood Pressure Service 1.1.1, 3.1.1).
func reading(_ number: Int) -> SubmittedReading {
    var reading = SubmittedReading()
    reading.device = .init(serial: "BENCH-\(number % people)")
    reading.characteristic = "2A35"
    reading.clockOffset = 0
    let hours = number / people
    let year = 2026 - hours / 24 / 28 / 12
    let bytes = [
        0x0E, 100 + number % 80, 0, 60 + number % 30, 0, 80, 0, year & 0xFF, year >> 8, 1 + hours / 24 / 28 % 12,
        1 + hours / 24 % 28, hours % 24, number / 7 % 60, number % 60, 60 + number % 40, 0, 1,
    ]
    reading.hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return reading
}

let clock = ContinuousClock()
var time = Duration.zero
for first in stride(from: 0, to: count, by: size) {
    let batch = (first..<min(first + size, count)).map(reading)
    time += try clock.measure { _ = try store.store(batch, gateway: "bench") }
}
try store.close()
print(#"{"rows_per_second":\#(Int(Double(count) / (time / .seconds(1))))}"#)
