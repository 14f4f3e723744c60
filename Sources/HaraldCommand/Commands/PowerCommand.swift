import ArgumentParser
import Explorer
import Harald

struct PowerCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "power", abstract: "Switch an adapter on or off.",
        discussion: """
            Switches an adapter of BlueZ, for all programs. Other adapters are on only while a program uses them, so \
            that there is nothing to switch. With --json, one object: adapter, powered.

            EXAMPLES
              harald power off
              harald power on --adapter bluez:hci1
            """)

    enum Power: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @Argument(help: ArgumentHelp("on or off.", valueName: "state"), completion: .list(Power.allCases.map(\.rawValue)))
    var power: Power

    @OptionGroup var shared: SharedOptions

    func perform() async throws {
        try await OpenedAdapter.run(shared, requiresPower: false) { adapter in
            let (central, isOn) = (adapter.central, power == .on)
            guard central.adapter.uri.hasPrefix("bluez:") else {
                throw ProgramError(
                    .failed,
                    "\(central.adapter.uri) cannot be switched \(power.rawValue): it is on only while a program uses "
                        + "it; 'harald power' switches adapters of BlueZ, such as --adapter bluez:hci0")
            }
            try await central.setPowered(isOn)
            for try await state in central.states where state == (isOn ? .poweredOn : .poweredOff) { break }
            try Task.checkCancellation()
            if shared.json {
                Console.json(["adapter": .string(central.adapter.uri), "powered": .bool(isOn)])
            } else {
                Console.line("\(central.adapter.uri) is \(power.rawValue)")
            }
        }
    }
}
