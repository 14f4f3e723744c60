#if os(Linux)
import ArgumentParser
import BlueZService
import Foundation
import Harald
import SystemBus

struct BlueZCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluez", abstract: "Run a Linux Bluetooth program without BlueZ.",
        discussion: """
            Serves the D-Bus API of BlueZ, org.bluez, for Low Energy, on an adapter of Harald. It starts a message bus \
            for this user alone (it requires dbus-daemon, but no root and no Bluetooth in the kernel), and runs \
            COMMAND with DBUS_SYSTEM_BUS_ADDRESS set: programs that use BlueZ, such as bleak, use this bus instead \
            of the system's. Both roles are served: programs can scan and connect, and can advertise and offer \
            services. The exit status is that of COMMAND. Documentation/HowTo/bluez.md describes how to test a \
            program with it.

            Without COMMAND, it prints the address of the bus and serves until Ctrl-C. With --json the first line is \
            {"event":"listening","address":...}.

            Several --adapter become hci0, hci1 and so on. A virtual scene that is given again is one air with several \
            adapters, so that a program can test its server and its client in one process.

            With --bus, the service uses a bus that exists, and needs no dbus-daemon; 'system' is that of the system, \
            where root may have the name org.bluez. If another program has this name, or the bus does not allow it, \
            the exit status is 69.

            EXAMPLES
              harald bluez --adapter virtual:clinic -- python3 scan.py
              harald bluez --adapter virtual:clinic -- pytest
              harald bluez --adapter virtual:empty --adapter virtual:empty -- pytest
              harald bluez --adapter hci:0
              harald bluez --adapter virtual:clinic --bus unix:path=/run/test/bus
              harald bluez --adapter hci:0 --bus system
            """)

    @OptionGroup var shared: SharedOptions

    @Option(help: ArgumentHelp("Serve on this D-Bus, or 'system', instead of one of its own.", valueName: "address"))
    var bus: String?

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program to run, after '--', and its arguments.", valueName: "COMMAND"))
    var command: [String] = []

    func perform() async throws {
        let first = try AdapterChoice(shared.adapters.first)
        try await OpenedAdapter.run(shared, choice: first, limit: .opening, requiresPower: false) { opened in
            // One connection to the bus serves all adapters, on one loop.
            let others = try await opened.openOthers(
                shared.adapters.dropFirst(), beside: first, shared, sharesLoop: true)
            let own = bus == nil ? try await PrivateBus.start() : nil
            defer { own?.stop() }
            let address = own?.address ?? (bus == "system" ? BusConnection.systemAddress : bus ?? "")
            let service = try await start(on: address, [opened.central] + others)
            let end = try await closing {
                try await serve(on: address, service)
            } with: {
                await service.stop()
                for central in others { await central.close() }
            }
            if let end { throw ExitCode(end.status) }
        }
    }

    private func start(on address: String, _ adapters: [Central]) async throws -> BlueZService {
        do throws(BusError) {
            return try await BlueZService.start(
                on: address, adapters: adapters.map { BlueZService.Adapter(backend: $0.backend, user: $0.user) })
        } catch {
            throw ProgramError(.noAdapter, "\(error)\(advice(error))")
        }
    }

    /// The remedy for a bus on which the service cannot be; empty for a bus of its own, and where the error has one.
    private func advice(_ error: BusError) -> String {
        guard bus != nil, error.name != BusError.libraryMissing else { return "" }
        let remedy =
            switch error.name {
            case BusError.nameOwned: "stop that program (BlueZ: 'systemctl stop bluetooth')"
            case BusError.noBus: "check that the bus is running and that its address is right"
            default: "run it as the user whom the policy of the bus allows the name (harald-bluez.conf)"
            }
        return ": \(remedy), or leave out --bus for a bus of its own"
    }

    /// Runs the command, or serves until the task is cancelled.
    /// - Returns: the end of the command; nil without one.
    private func serve(on address: String, _ service: BlueZService) async throws -> BoundProcess.End? {
        guard !command.isEmpty else {
            announce(address)
            if let error = await service.untilEnded() { throw ProgramError(.noAdapter, "\(error)") }
            try Task.checkCancellation()
            return nil
        }
        let program = try await BoundProcess.start(command, environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        // Ctrl-C goes to the program too, which decides about its end.
        Interruption.shared.intercept {}
        defer { Interruption.shared.intercept(nil) }
        return try await withThrowingTaskGroup(of: BoundProcess.End.self) { group in
            group.addTask {
                await withTaskCancellationHandler {
                    await program.untilEnded()
                } onCancel: {
                    program.send(SIGTERM)
                }
            }
            group.addTask {
                if let error = await service.untilEnded() {
                    program.send(SIGKILL)
                    throw ProgramError(.noAdapter, "\(error)")
                }
                return await program.untilEnded()
            }
            defer { group.cancelAll() }
            let end = try await group.next()
            try Task.checkCancellation()
            return end
        }
    }

    private func announce(_ address: String) {
        if shared.json {
            Console.json(.object(["event": "listening", "address": .string(address)]))
        } else {
            Console.line(address)
            Console.message("DBUS_SYSTEM_BUS_ADDRESS='\(address)' is for programs to use; Ctrl-C stops the service")
        }
    }
}
#endif
