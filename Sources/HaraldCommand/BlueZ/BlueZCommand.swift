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
            of the system's. The exit status is that of COMMAND. Documentation/LinuxPrograms.md describes how to test \
            a program with it.

            Without COMMAND, it prints the address of the bus and serves until Ctrl-C. With --json the first line is \
            {"event":"listening","address":...}.

            EXAMPLES
              harald bluez --adapter virtual:clinic -- python3 scan.py
              harald bluez --adapter virtual:clinic -- pytest
              harald bluez --adapter hci:0
            """)

    @OptionGroup var shared: SharedOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program to run, after '--', and its arguments.", valueName: "COMMAND"))
    var command: [String] = []

    func perform() async throws {
        try await OpenedAdapter.run(shared, limit: .opening, requiresPower: false) { opened in
            let bus = try await PrivateBus.start()
            defer { bus.stop() }
            let service = try await start(on: bus.address, opened)
            do {
                let end = try await serve(on: bus.address, service)
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
