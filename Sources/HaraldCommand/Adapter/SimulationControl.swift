import Explorer
import Harald
import VirtualDevices

/// Performs commands, one per line, on simulated devices while the simulation runs.
struct SimulationControl: Sendable {
    let devices: [VirtualDevice]
    /// The scene of the devices, and what changes its radio; nil on a real adapter.
    private let scene: VirtualScene?
    private let laboratory: AirLaboratory?

    /// Creates the control of `devices`, which run in `scene` unless that is nil.
    init(devices: [VirtualDevice], scene: VirtualScene? = nil) {
        self.devices = devices
        self.scene = scene
        laboratory = scene.map { AirLaboratory($0) }
    }

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
        "set [DEVICE] PATH VALUE, notify [DEVICE] PATH [VALUE], disconnect [DEVICE] [CENTRAL], "
        + "fault [DEVICE] PATH ERROR|none, fault [DEVICE] lost|silent|0x3E|none, fault [DEVICE] silent|away on|off, "
        + "fault [DEVICE] loss|delay|failing NUMBER, move [DEVICE] METRES, walk [DEVICE] on|off, cut [DEVICE], "
        + "remove [DEVICE]"

    /// Performs the command of a line; returns nil for an empty line and a comment.
    func perform(_ line: String) async -> Outcome? {
        let text = line.trimmed
        guard !text.isEmpty, !text.hasPrefix("#") else { return nil }
        do {
            var words = try Self.words(of: text)
            let command = words.removeFirst()
            guard ["set", "notify", "disconnect", "fault", "move", "walk", "cut", "remove"].contains(command) else {
                throw InputError("'\(command)' is not a command; the commands are \(Self.forms)")
            }
            let device = try await device(&words)
            let done =
                switch command {
                case "set": try await set(words, on: device)
                case "notify": try await notify(words, on: device)
                case "disconnect": try await disconnect(words, of: device)
                case "fault": try await fault(words, on: device)
                default: try await change(command, words, of: device)
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
    private func device(_ words: inout [String]) async throws -> VirtualDevice {
        // An address names any device of the scene.
        if let address = words.first?.uppercased() {
            for one in scene?.devices ?? devices where await one.peripheral.address?.text == address {
                words.removeFirst()
                return one
            }
        }
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
        if words.count == 2, let faults = try radioFaults(words[0], words[1]) {
            return try await change(device) { await $0.set(faults, of: $1) }
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
        switch word {
        case "lost":
            return try await change(device, "the links broke") { laboratory, id in
                await scene?.breakLinks(of: device)
                return await laboratory.device(id)
            }
        case "silent":
            return try await change(device, "the device stopped sending") {
                await $0.set(AirFaults(isSilent: true), of: $1)
            }
        case "0x3E":
            return try await change(device, "connections to the device fail to be established") {
                await $0.set(AirFaults(failedConnects: .max), of: $1)
            }
        default:
            return try await change(device, "the device is sending, and accepts connections") {
                await $0.set(AirFaults(isSilent: false, failedConnects: 0), of: $1)
            }
        }
    }

    /// The faults of a word and its value; nil if the word is not a fault with a value.
    private func radioFaults(_ word: String, _ value: String) throws -> AirFaults? {
        switch word {
        case "silent": AirFaults(isSilent: try flag(value))
        case "away": AirFaults(isOutOfRange: try flag(value))
        case "loss": AirFaults(loss: try number(value, 0...1))
        case "delay": AirFaults(delay: .seconds(try number(value, 0...60)))
        case "failing": AirFaults(failedConnects: Int(try number(value, 0...1000)))
        default: nil
        }
    }

    private func flag(_ text: String) throws -> Bool {
        guard ["on", "off"].contains(text) else { throw InputError("'\(text)' must be on or off") }
        return text == "on"
    }

    private func number(_ text: String, _ range: ClosedRange<Double>) throws -> Double {
        guard let number = Double(text), range.contains(number) else {
            throw InputError("'\(text)' must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    // MARK: Places and links

    private func change(_ command: String, _ words: [String], of device: VirtualDevice) async throws -> String {
        guard words.count == (["cut", "remove"].contains(command) ? 0 : 1) else {
            throw InputError("'\(command)' has another form: \(Self.forms)")
        }
        switch command {
        case "cut": return try await change(device, "the links are cut") { await $0.cut($1) }
        case "remove":
            let (laboratory, id) = try place(of: device)
            _ = await laboratory.remove(id)
            return "the device is not on the air any more"
        case "walk":
            let isWalking = try flag(words[0])
            return try await change(device) { await $0.setWalking(isWalking, $1) }
        default:
            let distance = try number(words[0], 0...10_000)
            return try await change(device) { await $0.move($1, to: distance) }
        }
    }

    private func place(of device: VirtualDevice) throws -> (AirLaboratory, String) {
        guard let laboratory, let id = laboratory.id(of: device) else {
            throw InputError("this command requires a device on the virtual radio of this program")
        }
        return (laboratory, id)
    }

    /// Changes a device of the laboratory, and describes it.
    private func change(
        _ device: VirtualDevice, _ done: String? = nil,
        _ body: @Sendable (AirLaboratory, String) async throws -> AirDevice?
    ) async throws -> String {
        let (laboratory, id) = try place(of: device)
        guard let changed = try await body(laboratory, id) else {
            throw InputError("'\(device.file.name)' is not on the air any more")
        }
        return done
            ?? "'\(changed.name)' is at \(changed.distance) m\(changed.isWalking ? ", walking" : "")"
            + "\(changed.isSilent ? ", silent" : "")\(changed.isOutOfRange ? ", out of range" : "")"
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
