import BluetoothModel

/// A decoder or a state machine, and a function that runs it with a generated input.
///
/// An input that traps, loops, takes too much memory or throws a ``Finding`` is a fault.
struct FuzzTarget: Sendable {
    /// The name, for `make fuzz TARGET=`, and of its corpus and its dictionary.
    let name: String
    /// A short description of the tested code.
    let summary: String
    /// The maximum length of an input, in bytes.
    let maximumLength: Int
    /// Valid initial inputs.
    let seeds: @Sendable () -> [[UInt8]]
    /// Runs one input.
    let run: @Sendable (ByteView) throws(Finding) -> Void

    init(
        _ name: String, _ summary: String, maximumLength: Int, seeds: @escaping @Sendable () -> [[UInt8]] = { [] },
        run: @escaping @Sendable (ByteView) throws(Finding) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.maximumLength = maximumLength
        self.seeds = seeds
        self.run = run
    }

    /// Every target: decoders first, then state machines.
    static var all: [FuzzTarget] {
        var all: [FuzzTarget] = [
            .h4, .reassembly, .advertising, .values, .frames, .cache, .bonds, .deviceFile, .bodies, .dissect, .replay,
            .survey, .clone,
        ]
        #if os(Linux) && (DEBUG || HARALD_FUZZER)
        all.append(.bus)
        #endif
        return all + [.hci, .channels, .attServer, .attClient, .discovery, .smp, .pairing]
    }

    /// Returns the target with this name; nil if there is none.
    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
