import Explorer
import Foundation
import TerminalScreen

/// A pairing request, drawn over the page.
extension ExploreScreen {
    mutating func drawQuestion(_ request: PairingRequest, _ view: ExploreView) {
        let width = min(columns, 60)
        let inner = max(4, width - 4)
        let name = glyphs.text(TerminalText.safe(request.name ?? request.device.description))
        let seconds = max(0, Int(request.expires.timeIntervalSince(data.now).rounded(.up)))
        var lines = wrapped("Pairing with \(name)", .bold, width: inner) + [StyledText()]
        let keys: String
        switch request.question {
        case .confirm:
            lines += wrapped("Pair with this device?", width: inner)
            keys = "y yes   n no"
        case .display:
            lines += wrapped("Enter this number on the device:", width: inner)
            lines.append(StyledText(request.digits ?? "", .bold))
            keys = "esc refuses"
        case .compare:
            lines += wrapped("Does the device show this number?", width: inner)
            lines.append(StyledText(request.digits ?? "", .bold))
            keys = "y yes   n no"
        case .enterPasskey:
            lines += wrapped("The six digits that the device shows:", width: inner)
            lines.append(StyledText())
            keys = "enter   esc refuses"
        }
        if !view.lineNote.isEmpty { lines.append(StyledText(view.lineNote, .yellow)) }
        lines += [StyledText(), StyledText("\(keys)   (refused in \(seconds) s)", .dim)]
        let height = min(screen.rows, lines.count + 2)
        let (top, left) = ((screen.rows - height) / 2, (columns - width) / 2)
        screen.cursor = nil
        screen.clear(rows: top..<top + height, columns: left..<left + width)
        screen.line(row: top, columns: left..<left + width)
        screen.line(row: top + height - 1, columns: left..<left + width)
        for (index, line) in lines.prefix(height - 2).enumerated() {
            screen.put(line, row: top + 1 + index, column: left + 2, width: inner)
        }
        if case .enterPasskey = request.question {
            let row = lines.firstIndex { $0.plain.hasPrefix("The six digits") } ?? 0
            view.line.draw(on: &screen, row: top + 2 + row, column: left + 2, width: 10, style: .bold)
        }
    }
}
