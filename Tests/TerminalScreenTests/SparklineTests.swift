import Testing

@testable import TerminalScreen

@Suite struct SparklineTests {
    @Test func sparklinesGoFromLowToHigh() {
        var line = Sparkline(capacity: 4)
        for value in [5.0, 0, 1, 2, 3, .nan] { line.add(value) }
        #expect(line.text == "▁▃▆█")
        var flat = Sparkline()
        flat.add(7)
        #expect(flat.text == "▅")
    }

    @Test func missingValuesAreGaps() {
        #expect(Sparkline.text([-100, nil, -60, -20], range: -100 ... -30) == "▁ ▅█")
        #expect(Sparkline.text([0, 1], glyphs: .ascii) == "_#")
        #expect(Sparkline.text([nil, nil]) == "  ")
    }
}
