import Explorer
import Harald
import VirtualDevices

/// Performs commands, one per line, on simulated devices while the simulation runs.
struct SimulationControl: Sendable {
    let devices: [VirtualDevice]
    /// The scene of the devices; nil on a real adapter.
    var scene: VirtualScene?

    /// The result of a command.
    struct Outcome: Sendable {
        var command: String
        /// A description of the effect; nil if the command failed.
        var done: String?
        /// The reason of the failure; nil if the command succeeded.
        var error: String?
    }

    /// The commands, for messages.
    static let forms =
        "set [DEVICE] PATH VALUE, notify [DEVICE] PATH [VALUE], disconnect [DEVICE] [CENTRAL], fault [DEVICE] PATH ERROR|none, "
        + "fault [DEVICE] lost|silent|0x3E|none"

    /// Performs the command of a line; returns nil for an empty line and a comment.
    func perform(_ line: String) async -> Outcome? {
        let text = line.trimmed
        guard !text.isEmpty, !text.hasPrefix("#") else { return nil }
        do {
            var words = try Self.words(of: text)
            let command = words.removeFirst()
            guard ["set", "notify", "disconnect", "fault"].contains(command) else {
                throw InputError("'\(command)' is not a command; the commands are \(Self.forms)")
            }
            let device = try device(&words)
            let done =
                switch command {
                case "set": try await set(words, on: device)
                case "notify": try await notify(words, on: device)
                case "disconnect": try await disconnect(words, of: device)
                default: try await fault(words, on: device)
                }
            return Outcome(command: text, done: done)
        } catch {
            return Outcome(command: text, error: ProgramError(error).message)
        }
    }

    /// Splits a line into words. Spaces between quotation marks belong to the word.
    /// - Throws: ``InputError`` if a quotation mark is not closed.
    static func words(of line: String) throws -> [String] {
        var (words, word, isQuoted) = ([String](), String?.none, false)
        for letter in line {
            if letter == "\"" {
                isQuoted.toggle()
                word = word ?? ""
            } else if letter.isWhitespace, !isQuoted {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(letter)
            }
        }
        guard !isQuoted else { throw InputError("the line ends inside a quotation mark") }
        if let word { words.append(word) }
        return words.isEmpty ? [""] : words
    }

    /// Removes the first words if they are the name of a device or its beginning, and returns that device. The name is
    /// optional if there is one device only.
    private func device(_ words: inout [String]) throws -> VirtualDevice {
        // A name with spaces may be several words.
        var (found, count) = ([VirtualDevice](), 0)
        for number in 1...max(1, words.count) {
            let fitting = devices(named: words.prefix(number).joined(separator: " "))
            guard !fitting.isEmpty else { break }
            (found, count) = (fitting, number)
        }
        func names(_ devices: [VirtualDevice]) -> String {
            devices.map { "\"\($0.file.name)\"" }.joined(separator: ", ")
        }
        if let only = devices.first, devices.count == 1 {
            // A word that is a characteristic is not the beginning of a name, which is optional here.
            let isName = words.prefix(count).joined(separator: " ").lowercased() == only.file.name.lowercased()
            if isName || count > 0 && (try? place(words, on: only)) == nil { words.removeFirst(count) }
            return only
        }
        guard found.count < 2 else {
            throw InputError("'\(words.prefix(count).joined(separator: " "))' is the beginning of \(names(found))")
        }
        guard let device = found.first else { throw InputError("name one device after the command: \(names(devices))") }
        words.removeFirst(count)
        return device
    }

    /// The device with this name, else the devices whose names begin with it.
    private func devices(named text: String) -> [VirtualDevice] {
        let text = text.lowercased()
        guard !text.isEmpty else { return [] }
        if let device = devices.first(where: { $0.file.name.lowercased() == text }) { return [device] }
        return devices.filter { $0.file.name.lowercased().hasPrefix(text) }
    }

    /// The characteristic that a path names.
    private func place(_ words: [String], on device: VirtualDevice) throws -> VirtualDevice.Place {
        guard let text = words.first else { throw InputError("the characteristic is missing: \(Self.forms)") }
        let path = try AttributePath(text)
        let fitting = device.places.filter { place in
            switch path {
            case .handle(let handle): place.attribute.rawValue == handle
            case .readings(let readings, _):
                readings.contains {
                    $0.descriptors == nil && $0.names(service: place.service, characteristic: place.characteristic)
                }
            }
        }
        guard let place = fitting.first else {
            throw InputError("'\(device.file.name)' has no characteristic \(text)")
        }
        guard fitting.count == 1 else {
            let handles = fitting.map { "#\(HandleText.text($0.attribute.rawValue))" }.joined(separator: ", ")
            throw InputError("\(fitting.count) characteristics match \(text); use a handle: \(handles)")
        }
        return place
    }

    private func value(_ words: ArraySlice<String>) throws -> [UInt8] {
        guard !words.isEmpty else { throw InputError("the value is missing; a value is \(ValueInput.forms)") }
        let bytes = try ValueInput.bytes(Array(words))
        guard bytes.count <= 512 else { throw InputError("the value has \(bytes.count) bytes, but the maximum is 512") }
        return bytes
    }

    private func set(_ words: [String], on device: VirtualDevice) async throws -> String {
        let place = try place(words, on: device)
        let bytes = try value(words.dropFirst())
        await device.set(bytes, at: place)
        return "\(place.characteristic) is \(ValueText(bytes, of: place.characteristic).line)"
    }

    private func notify(_ words: [String], on device: VirtualDevice) async throws -> String {
        let place = try place(words, on: device)
        let bytes = words.count > 1 ? try value(words.dropFirst()) : nil
        let count = try await device.notify(bytes, at: place)
        return "\(place.characteristic) was sent to \(count.counted("subscriber"))"
    }

    private func disconnect(_ words: [String], of device: VirtualDevice) async throws -> String {
        let all = await device.peripheral.centrals
        var centrals = all
        if let wanted = words.first {
            centrals = all.filter {
                "\($0)".lowercased() == wanted.lowercased() || $0.address?.text.lowercased() == wanted.lowercased()
            }
            guard !centrals.isEmpty else { throw InputError("no central '\(wanted)' is connected") }
        }
        for central in centrals { try await device.peripheral.disconnect(central) }
        return "\(centrals.count.counted("central was", "centrals were")) disconnected"
    }

    // MARK: Faults

    private func fault(_ words: [String], on device: VirtualDevice) async throws -> String {
        if words.count == 1, ["lost", "silent", "0x3E", "none"].contains(words[0]) {
            return try await radioFault(words[0], of: device)
        }
        let place = try place(words, on: device)
        guard words.count == 2 else {
            throw InputError("the error is missing: an ATT error code such as 0x0E, or none")
        }
        if words[1] == "none" {
            device.setRefusal(nil, at: place)
            return "\(place.characteristic) responds normally again"
        }
        guard let number = UInt8(decimalOrHex: words[1]), number > 0 else {
            throw InputError("'\(words[1])' is not an ATT error code: 0x01 to 0xFF, or none")
        }
        let code = ATTErrorCode(rawValue: number)
        device.setRefusal(code, at: place)
        return "\(place.characteristic) responds with \(code.description(in: place.service))"
    }

    private func radioFault(_ word: String, of device: VirtualDevice) async throws -> String {
        guard let scene else {
            throw InputError("the faults lost, silent and 0x3E require devices on the virtual radio of this command")
        }
        switch word {
        case "lost":
            await scene.breakLinks(of: device)
            return "the links broke"
        case "silent":
            _ = await scene.withController(of: device) { $0.faults.isSilent = true }
            return "the device stopped sending"
        case "0x3E":
            _ = await scene.withController(of: device) { $0.faults.failedEstablishments = .max }
            return "connections to the device fail to be established"
        default:
            _ = await scene.withController(of: device) { controller in
                controller.faults.isSilent = false
                controller.faults.failedEstablishments = 0
            }
            return "the device is sending, and accepts connections"
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
