/// The steps of a world as data. A program is generated from a seed or read from a file, and can be shortened.
struct Program: Hashable, Sendable {
    /// Determines everything random in a run: the order of tasks, the keys, the behaviour of the air.
    var seed: UInt64
    /// The number of hosts, 2 to 8; each is a central and a device.
    var hosts: Int
    /// True if data waits for connection events, as with real radios.
    var isPaced = false
    /// True if the tasks of the program prefer the loop as executor, as ``Central/executor`` offers.
    var prefersLoop = false
    /// True if the controllers have few and small buffers.
    var isTight = false
    /// True if timers fire slightly late, as on a loaded machine.
    var isLate = false
    /// True if the controllers are those of earlier versions: they do not resolve private addresses, have no filter
    /// accept list, and report the encryption of a link without the size of the key.
    var isOld = false
    /// The largest ATT_MTU of all links, and the largest frame of their channels, 23 to 517 octets; nil for the largest
    /// that there is.
    var mtu: Int?
    /// The host whose central is a `CBCentralManager`; nil for none.
    var coreCentral: Int?
    /// The host that is a `CBPeripheralManager` alone, without a central; nil for none.
    var coreDevice: Int?
    /// The host whose central uses private addresses, and which has no device; nil for none.
    var privateCentral: Int?
    /// True if there are no faults, so that only operations that the program itself ends may fail, or that a controller
    /// refuses or delays.
    var isCalm: Bool { !steps.contains { $0.verb.isFault && ![.reject, .lapse].contains($0.verb) } }
    /// The duration, in seconds.
    var seconds: Int
    var steps: [Step]
    /// True if a step has the verb.
    func has(_ verb: Verb) -> Bool { steps.contains { $0.verb == verb } }

    /// True if one side of a bond may lose its keys, or may not receive the last key of a pairing because the link ends
    /// without notice: the side that sent this key has stored its bond by then.
    var losesKeys: Bool {
        guard steps.contains(where: \.pairs) else { return steps.contains { $0.verb == .lose } }
        return !isCalm || steps.contains { [.forget, .unbond, .leave, .close, .off, .kick].contains($0.verb) }
    }
    /// True if two hosts may have keys of different pairings: one of them has forgotten its key and pairs again, and
    /// the other one does not receive the last key of this pairing.
    func changesKeys(of pair: Set<Int>) -> Bool {
        let pairs = steps.contains { $0.pairs && (pair.contains($0.host) || pair.contains($0.target)) }
        let verbs: Set<Verb> = [.forget, .unbond, .leave, .close, .die]
        return losesKeys && pairs
            && steps.contains { $0.verb == .full || verbs.contains($0.verb) && pair.contains($0.host) }
    }
    /// True if a long value may take longer than the timeout of its operation, or of the next one on the link: many
    /// small parts, each of which waits for connection events that may be far apart.
    var hasSlowLinks: Bool { isPaced && (mtu != nil || isTight) && steps.contains { $0.verb == .parameters } }
    /// The longest time by which a controller delays its packets.
    var longestDelay: Duration { .milliseconds(steps.filter { $0.verb == .delay }.map(\.amount).max() ?? 0) }
    /// True if the hosts store files, for hosts that die and return, and for disks that are full.
    var keepsFiles: Bool { steps.contains { [.die, .full].contains($0.verb) } }

    static let hostLimit = 8
}

extension Program: CustomStringConvertible {
    var description: String {
        let flags =
            (isPaced ? " paced" : "") + (prefersLoop ? " loop" : "") + (isTight ? " tight" : "")
            + (isLate ? " late" : "") + (isOld ? " old" : "") + (mtu.map { " mtu=\($0)" } ?? "")
            + (coreCentral.map { " central=\($0)" } ?? "") + (coreDevice.map { " device=\($0)" } ?? "")
            + (privateCentral.map { " private=\($0)" } ?? "")
        let head = "world seed=\(seed) hosts=\(hosts) seconds=\(seconds)\(flags)"
        return ([head] + steps.map(\.description)).joined(separator: "\n") + "\n"
    }

    /// Parses a program: a line "world seed=N hosts=N seconds=N" with flags, then a line for each step. A `#` starts a
    /// comment.
    /// - Throws: ``ActionSyntaxError`` with the line of the error.
    init(_ text: String) throws(ActionSyntaxError) {
        var program: Program?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.prefix { $0 != "#" }.drop { $0 == " " }
            guard content.contains(where: { $0 != " " && $0 != "\r" }) else { continue }
            do throws(ActionSyntaxError) {
                guard program != nil else {
                    program = try Self(head: content)
                    continue
                }
                let step = try Step(content)
                guard let hosts = program?.hosts, step.host < hosts, step.target < hosts else {
                    throw ActionSyntaxError("there is no such host")
                }
                program?.steps.append(step)
            } catch {
                throw ActionSyntaxError("line \(number + 1): \(error)")
            }
        }
        guard var program else { throw ActionSyntaxError("the line 'world seed=N hosts=N seconds=N' is missing") }
        let numbers = [program.coreCentral, program.coreDevice, program.privateCentral]
        guard numbers.allSatisfy({ $0 ?? 0 < program.hosts }) else {
            throw ActionSyntaxError("the host of central=, device= or private= does not exist")
        }
        program.steps.sort { $0.time < $1.time }
        self = program
    }

    private init(head: Substring) throws(ActionSyntaxError) {
        let words = head.split(separator: " ")
        guard words.first == "world" else { throw ActionSyntaxError("the first line must begin with 'world'") }
        self.init(seed: 0, hosts: 2, seconds: 60, steps: [])
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1)
            switch (parts[0], parts.count == 2 ? UInt64(parts[1]) : nil) {
            case ("seed", let value?): seed = value
            case ("hosts", let value?) where (2...UInt64(Self.hostLimit)).contains(value): hosts = Int(value)
            case ("seconds", let value?) where (1...86400).contains(value): seconds = Int(value)
            case ("central", let value?) where value < UInt64(Self.hostLimit): coreCentral = Int(value)
            case ("device", let value?) where value < UInt64(Self.hostLimit): coreDevice = Int(value)
            case ("private", let value?) where value < UInt64(Self.hostLimit): privateCentral = Int(value)
            case ("mtu", let value?) where (23...517).contains(value): mtu = Int(value)
            case ("paced", nil): isPaced = true
            case ("loop", nil): prefersLoop = true
            case ("tight", nil): isTight = true
            case ("late", nil): isLate = true
            case ("old", nil): isOld = true
            default:
                throw ActionSyntaxError(
                    "'\(word)' is not one of seed=N, hosts=2...8, seconds=1...86400, paced, loop, tight, late, "
                        + "old, mtu=23...517, central=N, device=N, private=N")
            }
        }
    }
}
