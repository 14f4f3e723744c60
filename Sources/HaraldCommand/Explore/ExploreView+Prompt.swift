import Explorer
import Harald
import TerminalScreen

/// The effects of keys while a line is being entered or a pairing request is open.
extension ExploreView {
    mutating func apply(_ key: Key, to prompt: Prompt) -> [ExploreAction] {
        if key == .tab, case .write(let id, let handle, let withResponse, true) = prompt {
            self.prompt = .write(id, handle, withResponse: !withResponse, offersBoth: true)
            noteWrite()
            return []
        }
        switch line.apply(key) {
        case .cancelled: self.prompt = nil
        case .changed: noteLine(prompt)
        case .unchanged: break
        case .accepted: return accept(prompt)
        }
        return []
    }

    private mutating func noteLine(_ prompt: Prompt) {
        switch prompt {
        case .write: noteWrite()
        case .filter:
            // The filter applies while the user types; an incomplete condition is ignored.
            do {
                (filter, filterText) = (try DeviceFilter(line.text, isTyped: true), line.text)
                lineNote = line.text.isEmpty ? DeviceFilter.forms : ""
            } catch {
                lineNote = error.message
            }
        case .exportLog, .clone: break
        }
    }

    /// Shows the bytes that will be sent.
    mutating func noteWrite() {
        guard !line.text.isEmpty else { return lineNote = "a value is " + ValueInput.forms }
        do {
            let bytes = try ValueInput.bytes([line.text])
            lineNote = "\(bytes.count.counted("byte")): \(bytes.hexText(separator: " "))"
        } catch {
            lineNote = "\(error)"
        }
    }

    private mutating func accept(_ prompt: Prompt) -> [ExploreAction] {
        switch prompt {
        case .filter:
            do {
                (filter, filterText) = (try DeviceFilter(line.text), line.text)
            } catch {
                lineNote = error.message
                return []
            }
        case .write(let id, let handle, let withResponse, _):
            guard let bytes = try? ValueInput.bytes([line.text]) else { return [] }
            if !line.text.isEmpty {
                writeHistory.removeAll { $0 == line.text }
                writeHistory = [line.text] + writeHistory.prefix(49)
            }
            self.prompt = nil
            return [.write(id, handle, bytes, withResponse: withResponse)]
        case .exportLog(let id):
            guard !line.text.isEmpty else { return [] }
            self.prompt = nil
            return [.exportLog(path: line.text, id)]
        case .clone(let id):
            guard !line.text.isEmpty else { return [] }
            self.prompt = nil
            return [.clone(id, path: line.text)]
        }
        self.prompt = nil
        return []
    }

    // MARK: Pairing

    /// Handles a pairing request that was opened or has ended.
    mutating func note(_ request: PairingRequest) {
        if request.end == nil {
            question = request
            line = LineEditor()
            lineNote = ""
            prompt = nil
        } else if question?.id == request.id {
            question = nil
            if request.end == .timeout { say("pairing was refused: no answer in 30 s", isError: true) }
        }
    }

    mutating func apply(_ key: Key, to request: PairingRequest) -> [ExploreAction] {
        switch (request.question, key) {
        case (_, .escape), (.confirm, .character("n")), (.compare, .character("n")):
            question = nil
            return [.answer(request.id, .refuse)]
        case (.confirm, .character("y")), (.compare, .character("y")):
            question = nil
            return [.answer(request.id, .accept)]
        case (.enterPasskey, .enter):
            guard let passkey = TerminalPairing.passkey(line.text) else {
                lineNote = "a passkey must have six digits"
                return []
            }
            question = nil
            return [.answer(request.id, .passkey(passkey))]
        case (.enterPasskey, _):
            _ = line.apply(key)
            lineNote = ""
        default: break
        }
        return []
    }
}
