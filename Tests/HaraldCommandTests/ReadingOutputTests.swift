import BluetoothProfiles
import Foundation
import Harald
import Synchronization
import Testing

@testable import HaraldCommand

@Suite(.timeLimit(.minutes(2))) struct ReadingOutputTests {
    private let reading = MonitorReading(
        time: .now, device: PeripheralID(high: 0, low: 1), measurement: "Weight", fields: [])

    /// Devices send at the same time; the numbers of the readings are in the order of the lines all the same.
    @Test func numbersAreInTheOrderOfTheLines() async {
        let printed = Mutex<[Int]>([])
        let ends = Mutex(0)
        let output = ReadingOutput(limit: 5000) { _, number in
            printed.withLock { $0.append(number) }
        } done: {
            ends.withLock { $0 += 1 }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1000 { output.emit(reading) } } }
        }
        #expect(printed.withLock { $0 } == Array(1...5000))
        #expect(ends.withLock { $0 } == 1)
    }

    @Test func aReservedPlaceIsNotGivenTwice() {
        let output = ReadingOutput(limit: 2) { _, _ in
        } done: {
        }
        #expect(output.reserve() && output.reserve())
        #expect(!output.reserve())
        output.cancelReservation()
        #expect(output.reserve())
        output.emit(reading)
        #expect(!output.reserve())
        output.emit(reading)
        #expect(!output.reserve())
    }

    @Test func everyDigitIsInCSV() {
        var reading = reading
        reading.fields = [Field("rrInterval", .list([.real(726.5625), .real(1000)]), unit: .milliseconds)]
        #expect(reading.csv(number: 1).first?.hasSuffix(",rrInterval,726.5625 1000,ms,") == true)
    }
}
