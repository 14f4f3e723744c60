import Testing

@testable import VirtualDevices

@Suite struct WaveformTests {
    private func values(_ waveform: Waveform, seconds: [Double], seed: UInt64 = 1) -> [Double] {
        var player = WaveformPlayer(waveform, seed: seed)
        return seconds.map { player.value(at: .seconds($0)) }
    }

    @Test func aSineStartsInTheMiddleAndRises() {
        let found = values(.sine(60...80, period: .seconds(4)), seconds: [0, 1, 2, 3, 4])
        for (value, wanted) in zip(found, [70, 80, 70, 60, 70] as [Double]) { #expect(abs(value - wanted) < 1e-9) }
    }

    @Test func aRampRepeats() {
        #expect(values(.ramp(0...10, period: .seconds(10), falls: false), seconds: [0, 5, 10, 15]) == [0, 5, 0, 5])
        #expect(values(.ramp(0...10, period: .seconds(10), falls: true), seconds: [0, 5, 10]) == [10, 5, 10])
    }

    @Test func stepsAreInOrder() {
        #expect(values(.steps([1, 5, 9], period: .seconds(3)), seconds: [0, 1.5, 2.9, 3]) == [1, 5, 9, 1])
        #expect(values(.steps([], period: .seconds(3)), seconds: [1]) == [0])
    }

    @Test func aWalkStaysInItsRangeAndDependsOnlyOnItsSeed() {
        let walk = Waveform.walk(10...20, step: 8, every: .seconds(1))
        let seconds = (0..<500).map(Double.init)
        let first = values(walk, seconds: seconds, seed: 7)
        #expect(first.allSatisfy { (10...20).contains($0) })
        #expect(Set(first).count > 100)
        #expect(first == values(walk, seconds: seconds, seed: 7))
        #expect(first != values(walk, seconds: seconds, seed: 8))
    }

    @Test func aLongPauseOfAWalkIsCheap() {
        #expect((10...20).contains(values(.walk(10...20, step: 1, every: .milliseconds(1)), seconds: [1e12])[0]))
    }

    @Test func aPeriodOfZeroDoesNotCrash() {
        #expect(values(.ramp(1...2, period: .zero, falls: false), seconds: [5]) == [1])
    }
}
