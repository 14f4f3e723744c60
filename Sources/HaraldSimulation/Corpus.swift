import Foundation

/// The stored programs, each of which reaches a case that random steps seldom reach. A run begins with them, and every
/// third seed is a mutation of one or two of them, so that a seed has the same world for one state of the repository.
enum Corpus {
    /// `Tests/HaraldSimulationTests/Programs` of the sources that the program was built from.
    private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Tests/HaraldSimulationTests/Programs").standardizedFileURL

    /// The paths of the files, in the order of their names.
    static let files: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.filter { $0.hasSuffix(".program") }.sorted().map { directory.appendingPathComponent($0).path }
    }()

    /// The programs of the files. Without them no seed has its world.
    private static let programs: [Program] = {
        let programs = files.compactMap { try? Program(String(contentsOfFile: $0, encoding: .utf8)) }
        guard !programs.isEmpty, programs.count == files.count else {
            let message = "harald-simulate: cannot read the programs in \(directory.path)\n"
            FileHandle.standardError.write(Data(message.utf8))
            exit(66)
        }
        return programs
    }()

    /// The mutation of the corpus that a seed determines.
    static func mutation(seed: UInt64, _ generator: inout SimulationGenerator) -> Program {
        var program = generator.one(of: programs)
        program.seed = seed
        if generator.once(in: 4) { program.append(generator.one(of: programs), &generator) }
        program.swapHosts(&generator)
        program.changeWorld(&generator)
        program.shiftTimes(&generator)
        for _ in 0..<generator.below(6) { program.edit(&generator) }
        program.steps.sort { $0.time < $1.time }
        program.seconds = (program.steps.last?.time ?? 0) / 1000 + 1 + generator.below(20)
        return program
    }
}

/// The mutations.
extension Program {
    /// Appends the steps of another program.
    fileprivate mutating func append(_ other: Program, _ generator: inout SimulationGenerator) {
        let start = max((steps.last?.time ?? 0) + 1000 - generator.below(5000), 0)
        hosts = max(hosts, other.hosts)
        let first = other.steps.first?.time ?? 0
        for var step in other.steps {
            step.time += start - first
            steps.append(step)
        }
    }

    /// Adds a host to some programs, and exchanges the hosts.
    fileprivate mutating func swapHosts(_ generator: inout SimulationGenerator) {
        if hosts < 4, generator.once(in: 4) { hosts += 1 }
        let numbers = (0..<hosts).shuffled(using: &generator)
        for index in steps.indices {
            steps[index].host = numbers[steps[index].host]
            if steps[index].verb.hasTarget { steps[index].target = numbers[steps[index].target] }
        }
        coreCentral = coreCentral.map { numbers[$0] }
        coreDevice = coreDevice.map { numbers[$0] }
        privateCentral = privateCentral.map { numbers[$0] }
    }

    /// Changes some properties of the world.
    fileprivate mutating func changeWorld(_ generator: inout SimulationGenerator) {
        for flag in [\Program.isPaced, \.prefersLoop, \.isTight, \.isLate, \.isOld] where generator.once(in: 5) {
            self[keyPath: flag].toggle()
        }
        if generator.once(in: 4) { mtu = generator.once(in: 3) ? nil : Self.randomMTU(&generator) }
        if generator.once(in: 6) { coreCentral = generator.once(in: 2) ? nil : generator.below(hosts) }
        if generator.once(in: 6) { privateCentral = generator.once(in: 2) ? nil : generator.below(hosts) }
        if generator.once(in: 6) { coreDevice = generator.once(in: 2) ? nil : generator.below(hosts) }
    }

    /// Moves each step by a random time, up to a limit that is the same for all of them.
    fileprivate mutating func shiftTimes(_ generator: inout SimulationGenerator) {
        let limit = generator.one(of: [0, 0, 3, 50, 500, 3000])
        guard limit > 0 else { return }
        for index in steps.indices {
            steps[index].time = max(steps[index].time + generator.below(2 * limit + 1) - limit, 0)
        }
    }

    /// Inserts, repeats, removes or changes a step.
    fileprivate mutating func edit(_ generator: inout SimulationGenerator) {
        guard !steps.isEmpty else { return }
        let index = generator.below(steps.count)
        let time = max(steps[index].time + generator.below(4001) - 2000, 0)
        switch generator.below(4) {
        case 0:
            let verbs = Verb.allCases.filter { !(isCalm && $0.isFault) }
            steps.append(Self.step(at: time, generator.one(of: verbs), hosts: hosts, &generator))
        case 1:
            steps.append(steps[index])
            steps[steps.count - 1].time = time
        case 2 where steps.count > 1: steps.remove(at: index)
        default:
            let (host, target) = (steps[index].host, steps[index].target)
            steps[index] = Self.step(at: steps[index].time, steps[index].verb, hosts: hosts, &generator)
            (steps[index].host, steps[index].target) = (host, target)
        }
    }
}
