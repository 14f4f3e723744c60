#if os(Linux)
import ArgumentParser
import BlueZService
import Foundation
import Harald
import SystemBus

/// `harald bluez`
struct BlueZCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluez", abstract: "Run a Linux Bluetooth program without BlueZ.",
        discussion: """
            Serves the D-Bus API of BlueZ, org.bluez, for Low Energy, on an adapter of Harald. It starts a message bus \
            for this user alone (it requires dbus-daemon, but no root and no Bluetooth in the kernel), and runs \
            COMMAND with DBUS_SYSTEM_BUS_ADDRESS set: programs that use BlueZ, such as bleak, use this bus instead \
            of the system's. Both roles are served: programs can scan and connect, and can advertise and offer \
            services. The exit status is that of COMMAND. Documentation/LinuxPrograms.md describes how to test a \
            program with it.

            Without COMMAND, it prints the address of the bus and serves until Ctrl-C. With --json the first line is \
            {"event":"listening","address":...}.

            With --bus, the service uses a bus that exists, and needs no dbus-daemon. If another program has the name \
            org.bluez there, or the bus does not allow it, the exit status is 69.

            EXAMPLES
              harald bluez --adapter virtual:clinic -- python3 scan.py
              harald bluez --adapter virtual:clinic -- pytest
              harald bluez --adapter hci:0
              harald bluez --adapter virtual:clinic --bus unix:path=/run/test/bus
            """)

    @OptionGroup var shared: SharedOptions

    @Option(help: ArgumentHelp("Serve on this D-Bus instead of one of its own.", valueName: "address"))
    var bus: String?

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program to run, after '--', and its arguments.", valueName: "COMMAND"))
    var command: [String] = []

    func perform() async throws {
        try await OpenedAdapter.run(shared, limit: .opening, requiresPower: false) { opened in
            let own = bus == nil ? try await PrivateBus.start() : nil
            defer { own?.stop() }
            let address = own?.address ?? bus ?? ""
            let service = try await start(on: address, opened)
            do {
                let end = try await serve(on: address, service)
                await withoutCancellation { await service.stop() }
                if let end { throw ExitCode(end.status) }
            } catch {
                await withoutCancellation { await service.stop() }
                throw error
            }
        }
    }

    private func start(on address: String, _ opened: OpenedAdapter) async throws -> BlueZService {
        let adapter = BlueZService.Adapter(backend: opened.central.backend, user: opened.central.user)
        do throws(BusError) {
            return try await BlueZService.start(on: address, adapters: [adapter])
        } catch {
            throw ProgramError(.noAdapter, "\(error)")
        }
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
