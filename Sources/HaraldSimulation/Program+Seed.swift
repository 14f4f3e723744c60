extension Program {
    /// Creates the program of a seed: a mutation of stored programs, or random steps for a random number of hosts.
    init(seed: UInt64) {
        var corpus = SimulationGenerator(seed: seed, for: "corpus")
        if corpus.once(in: 3) {
            self = Corpus.mutation(seed: seed, &corpus)
        } else {
            self.init(randomSteps: seed)
        }
    }

    private init(randomSteps seed: UInt64) {
        var generator = SimulationGenerator(seed: seed, for: "program")
        let hosts = 2 + generator.below(3)
        let isCalm = generator.once(in: 4)
        let seconds = 20 + generator.below(100)
        self.init(
            seed: seed, hosts: hosts, isPaced: generator.once(in: 3), prefersLoop: generator.once(in: 3),
            isTight: generator.once(in: 4), isLate: generator.once(in: 4), seconds: seconds, steps: [])
        // From a separate generator, so that the steps of a seed are the same with any front door.
        var doors = SimulationGenerator(seed: seed, for: "front doors")
        if doors.once(in: 2) { coreCentral = doors.below(hosts) }
        if doors.once(in: 3) { coreDevice = doors.below(hosts) }
        if doors.once(in: 3) { mtu = Self.randomMTU(&doors) }
        isOld = doors.once(in: 4)
        if doors.once(in: 4) { privateCentral = doors.below(hosts) }
        // In a quiet world no other event hides a missed wake-up.
        let isQuiet = generator.once(in: 3)
        let count = isQuiet ? 1 + generator.below(8) : 20 + generator.below(180)
        // Some worlds use few verbs, so that these coincide often.
        let verbs = Self.weighted(isCalm: isCalm, &generator)
        var times = (0..<count).map { _ in generator.below(seconds * 1000) }
        // Several steps at the same time, or nearly so.
        for index in times.indices.dropFirst() where generator.once(in: 3) {
            times[index] = times[index - 1] + generator.below(3)
        }
        for time in times.sorted() {
            steps.append(Self.step(at: time, generator.one(of: verbs), hosts: hosts, &generator))
        }
        addScenarios(isQuiet ? 1...2 : nil)
        // Most steps require a link, so most hosts connect at the start.
        for host in 0..<hosts where !generator.once(in: 5) {
            let target = (host + 1 + generator.below(hosts - 1)) % hosts
            let verb: Verb = generator.once(in: 2) ? .stay : .connect
            steps.insert(Step(time: 0, host: host, verb: verb, target: target), at: 0)
        }
    }

    private static func weighted(isCalm: Bool, _ generator: inout SimulationGenerator) -> [Verb] {
        var verbs: [Verb] = []
        let fewer = generator.once(in: 3)
        for verb in Verb.allCases where !(isCalm && verb.isFault) {
            if fewer, generator.once(in: 2) { continue }
            verbs += Array(repeating: verb, count: weight(of: verb))
        }
        return verbs + [.read, .subscribe]
    }

    private static func weight(of verb: Verb) -> Int {
        switch verb {
        case .read, .write, .command, .notify: 8
        case .connect, .stay, .subscribe, .update, .cancel: 6
        case .visit, .twin, .hold: 3
        case .scan, .discover, .unsubscribe, .disconnect, .rssi: 3
        case .cut, .cutlater, .hear, .answer, .on, .show, .open, .join, .lapse: 2
        default: 1
        }
    }

    /// An ATT_MTU; with 33, 65 and 129 the last part of a value of 512 octets is as long as the others.
    static func randomMTU(_ generator: inout SimulationGenerator) -> Int {
        generator.one(of: [23, 24, 33, 33, 48, 48, 64, 65, 65, 100, 129, 129, 185, 247])
    }

    /// Returns a random step with this verb.
    static func step(
        at time: Int, _ verb: Verb, hosts: Int, _ generator: inout SimulationGenerator
    ) -> Step {
        let host = generator.below(hosts)
        var step = Step(time: time, host: host, verb: verb)
        if verb.hasTarget { step.target = (host + 1 + generator.below(hosts - 1)) % hosts }
        switch verb {
        case .scan: step.amount = 100 + generator.below(5000)
        case .read:
            step.place = generator.one(of: [.stored, .long, .notifying, .secret] as [Place]).rawValue
            step.amount = generator.below(2)
        case .write:
            step.place = generator.one(of: [.stored, .long] as [Place]).rawValue
            step.amount = generator.once(in: 3) ? generator.below(513) : generator.below(20)
            // The maximum length, and lengths close to one packet.
            if generator.once(in: 6) { step.amount = generator.one(of: [511, 512, 20, 244, 245, 246, 509, 510]) }
        case .command: step.amount = generator.below(20)
        case .subscribe, .unsubscribe, .notify, .update:
            step.place = generator.one(of: [.notifying, .indicating, .both] as [Place]).rawValue
            if generator.once(in: 8) { step.place = Place.secret.rawValue }
            step.amount = 1 + generator.below(verb == .notify && generator.once(in: 4) ? 200 : 4)
        case .channel: step.amount = 1 + generator.below(7)
        case .churn: step.amount = generator.once(in: 3) ? 70 : 1 + generator.below(10)
        case .parameters: step.amount = generator.below(100)
        case .die: step.amount = 1 + generator.below(5000)
        case .cutlater: step.amount = 1 + generator.below(60)
        case .delay: step.amount = generator.below(2000)
        case .lose: step.amount = generator.below(30)
        case .refuse: step.amount = 1 + generator.below(4)
        case .reject: step.amount = 1 + generator.below(RefusableCommand.allCases.count)
        case .lapse: step.amount = 1 + generator.below(ControllerLapse.allCases.count)
        case .mute: step.amount = generator.below(2)
        case .twin: step.amount = generator.once(in: 3) ? 1 : 0
        case .hold: step.amount = generator.below(500)
        case .full: step.amount = generator.below(3) * generator.below(300)
        case .show:
            // Longer than one report, as long as the advertisement permits, and sometimes longer.
            if generator.once(in: 3) { step.amount = 40 + generator.below(generator.once(in: 3) ? 180 : 167) }
        default: break
        }
        return step
    }
}
