#if os(Linux)
import Foundation
import PeerSupport
import Testing

/// Programs for Linux that use BlueZ, under `harald bluez`.
extension PeerSuites {
    @Suite(.enabled(if: PrivateBus.program != nil, Comment(rawValue: PrivateBus.absence)))
    struct LinuxPrograms {
        /// Runs a Python program beside a scene; fails with its output unless it succeeds.
        private func run(_ scene: String, _ arguments: [String]) async throws {
            let program = try Peers.underBlueZ(scene: scene, arguments)
            let exit = await program.exit()
            guard case .status(0) = exit else {
                Issue.record("\(exit)\n\(program.transcript)")
                return
            }
        }

        @Test func bleakIsAClient() async throws {
            try await run(Peers.file("bleak_scene.yaml"), [Peers.file("bleak_client.py")])
        }

        @Test func btleplugIsAClient() async throws {
            try await run(Peers.file("bleak_scene.yaml"), [Peers.file("btleplug_client.py")])
        }

        /// habluetooth's scanner, and a connection with bleak-retry-connector.
        @Test func homeAssistantScans() async throws {
            try await run(Peers.file("bleak_scene.yaml"), [Peers.file("home_assistant.py")])
        }

        /// A server with bless and a client with bleak, each under its own service on one air.
        @Test func blessIsAServer() async throws {
            let socket = FileManager.default.temporaryDirectory.appending(path: "air-\(UUID().uuidString)").path()
            defer { try? FileManager.default.removeItem(atPath: socket) }
            let air = try Peers.harald(["air", "empty", "--listen", "unix:\(socket)", "--no-user-socket"])
            _ = try await air.line("address") { $0.text.contains(socket) }
            let server = try Peers.underBlueZ(adapter: "unix:\(socket)", [Peers.file("bless_server.py")])
            _ = try await server.line("serving") { $0.text == "serving" }
            let visitor = try Peers.underBlueZ(adapter: "unix:\(socket)", [Peers.file("bless_visitor.py")])
            let exit = await visitor.exit()
            guard case .status(0) = exit else {
                Issue.record("\(exit)\n\(visitor.transcript)\n\(server.transcript)")
                return
            }
        }

        /// A server and a client in one program, each on an adapter of its own.
        @Test(arguments: ["two_adapters.py", "socket_server.py", "bluez_peripheral_server.py"])
        func aServiceHasSeveralAdapters(_ file: String) async throws {
            let program = try Peers.underBlueZ(
                scene: "empty", [Peers.file(file)], options: ["--adapter", "virtual:empty"])
            let exit = await program.exit()
            guard case .status(0) = exit else {
                Issue.record("\(exit)\n\(program.transcript)")
                return
            }
        }

        /// Adapters that cannot share a loop are refused.
        @Test func adaptersOfDifferentAirsAreRefused() async throws {
            let program = try Peers.underBlueZ(
                scene: "empty", ["-c", ""], options: ["--adapter", "virtual:clinic"])
            #expect(await program.exit() == .status(64))
        }

        @Test func hostileCallsAreAnswered() async throws {
            try await run(Peers.file("bleak_scene.yaml"), [Peers.file("hostile_client.py")])
        }

        /// The answers and signals during a script of calls are those that `bluetoothd` gave, but for the differences
        /// that are listed, each with its reason (Tests/Linux/oracle).
        @Test func theOracleFindsNoOtherDifference() async throws {
            let observed = FileManager.default.temporaryDirectory.appending(path: "oracle-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: observed) }
            let scene = Peers.file("../Linux/oracle/scene.yaml")
            let program = try Peers.underBlueZ(
                scene: scene,
                [
                    Peers.file("../Linux/oracle/script.py"), observed.path(),
                    Peers.file("../Linux/oracle/bluetoothd-5.66.txt"),
                ], options: ["--adapter", "virtual:\(scene)"])
            let exit = await program.exit()
            guard case .status(0) = exit else {
                Issue.record("\(exit)\n\(program.transcript)")
                return
            }
        }

        /// The page names the reason of each difference.
        @Test func thePageListsTheDifferences() throws {
            let page = try Peers.page("LinuxPrograms.md").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let table = try String(contentsOfFile: Peers.file("../Linux/oracle/differences.py"), encoding: .utf8)
            let reasons = table.split(separator: "\n").filter { $0.hasPrefix("    '") && $0.hasSuffix("': [") }
                .map { $0.dropFirst(5).dropLast(4) }
            #expect(!reasons.isEmpty)
            for reason in reasons { #expect(page.contains(reason), "\(reason)") }
        }

        /// Without variables of a user, without privileges, and without the system's bus, as in a container, bleak
        /// hears the first device within 2 s. Other tests may slow a start, so the quickest of three counts.
        @Test func aContainerSuffices() async throws {
            let command =
                ["env", "-i", "PATH=/usr/bin:/bin", "HOME=/nonexistent", Peers.haraldProgram, "bluez"]
                + ["--adapter", "virtual:\(Peers.file("bleak_scene.yaml"))", "--"]
                + [Peers.python, "-B", Peers.file("first_device.py")]
            // Only root may hide the system's bus, and has privileges to drop.
            let isolation =
                ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /run && exec \"$@\"", "sh"]
                + ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
            var quickest = Duration.seconds(60)
            for _ in 0..<3 where quickest > .seconds(2) {
                let clock = ContinuousClock()
                let start = clock.now
                let program = try PeerProcess("env", (getuid() == 0 ? isolation : []) + command)
                _ = try await program.line("device") { $0.text.hasPrefix("heard ") }
                quickest = min(quickest, clock.now - start)
                #expect(await program.exit() == .status(0))
            }
            #expect(quickest < .seconds(2))
        }

        /// The status is that of the program.
        @Test func theStatusOfTheProgramIsReturned() async throws {
            let program = try Peers.underBlueZ(scene: "empty", ["-c", "raise SystemExit(7)"])
            #expect(await program.exit() == .status(7))
        }

        /// The service uses a bus that exists; the second one there is refused.
        @Test func aBusHasOneService() async throws {
            let bus = try await PrivateBus()
            let options = ["--bus", bus.address]
            let first = try Peers.harald(["bluez", "--adapter", "virtual:empty"] + options)
            _ = try await first.line("address") { $0.text == bus.address }
            let second = try Peers.underBlueZ(scene: "empty", ["-c", ""], options: options)
            #expect(await second.exit() == .status(69))
            #expect(second.transcript.contains("another program owns org.bluez"))
            #expect(second.transcript.contains("leave out --bus"))
            bus.stop()
            #expect(await first.exit() == .status(69))
        }

        /// The system's bus: nobody may have a name or call others, except by the policy that is installed.
        private static func systemBus(_ installed: String = "") async throws -> PrivateBus {
            try await PrivateBus(
                policy: """
                    <policy context="default"><allow user="*"/><deny own="*"/><deny send_type="method_call"/>
                    <allow send_type="signal"/><allow send_requested_reply="true" send_type="method_return"/>
                    <allow send_requested_reply="true" send_type="error"/><allow receive_type="method_call"/>
                    <allow receive_type="method_return"/><allow receive_type="error"/><allow receive_type="signal"/>
                    <allow send_destination="org.freedesktop.DBus"/></policy>
                    \(installed)
                    """)
        }

        /// Root serves on the system's bus with the policy that is installed, and calls agents and applications.
        @Test(.enabled(if: getuid() == 0, "the policy allows root only"))
        func thePolicyForTheSystemBusSuffices() async throws {
            let bus = try await Self.systemBus("<include>\(Peers.file("../../Packaging/harald-bluez.conf"))</include>")
            let program = try PeerProcess(
                "env",
                ["DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)", Peers.haraldProgram, "bluez", "--bus", "system"]
                    + ["--adapter", "virtual:empty", "--adapter", "virtual:empty", "--", Peers.python, "-B"]
                    + [Peers.file("two_adapters.py")])
            let exit = await program.exit()
            #expect(exit == .status(0), "\(program.transcript)")
        }

        @Test func aPolicyThatForbidsTheNameIsAnError() async throws {
            let bus = try await Self.systemBus()
            let program = try Peers.underBlueZ(scene: "empty", ["-c", ""], options: ["--bus", bus.address])
            #expect(await program.exit() == .status(69))
            #expect(program.transcript.contains("harald-bluez.conf"), "\(program.transcript)")
        }

        /// The program decides about Ctrl-C, and has the bus until it ends.
        @Test func aProgramEndsAsItWantsAfterCtrlC() async throws {
            let script = """
                import os, signal, socket
                address = os.environ['DBUS_SYSTEM_BUS_ADDRESS'].split('path=')[1].split(',')[0]
                try:
                    print('waiting', flush=True)
                    signal.pause()
                except KeyboardInterrupt:
                    bus = socket.socket(socket.AF_UNIX)
                    bus.connect(address)
                    bus.sendall(b'\\0AUTH\\r\\n')
                    print('the bus says', bus.recv(100))
                    raise SystemExit(5)
                """
            let terminal = try TerminalProcess(
                Peers.haraldProgram, ["bluez", "--adapter", "virtual:empty", "--", Peers.python, "-c", script],
                columns: 100, rows: 30, environment: ProcessInfo.processInfo.environment)
            defer { terminal.signal(SIGKILL) }
            #expect(await terminal.wait(for: "waiting"), "\(terminal.screen.text)")
            terminal.type("\u{3}")
            #expect(await terminal.exit == .status(5), "\(terminal.screen.text)")
            #expect(terminal.screen.text.contains("the bus says"), "\(terminal.screen.text)")
        }

        /// A directory whose path an address of D-Bus cannot have, or a socket, is not used.
        @Test(arguments: ["a b<&>", String(repeating: "x", count: 90)])
        func anyDirectoryForTemporaryFilesWillDo(_ name: String) async throws {
            let directory = FileManager.default.temporaryDirectory.appending(path: name)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let program = try PeerProcess(
                "env",
                ["TMPDIR=\(directory.path(percentEncoded: false))", Peers.haraldProgram, "bluez"]
                    + ["--adapter", "virtual:empty", "--", "true"])
            #expect(await program.exit() == .status(0), "\(program.transcript)")
        }

        @Test func aFileThatIsNoProgramIsAnError() async throws {
            let program = try Peers.harald(
                ["bluez", "--adapter", "virtual:empty", "--", Peers.file("bleak_scene.yaml")])
            #expect(await program.exit() == .status(66))
            #expect(program.transcript.contains("executable"), "\(program.transcript)")
        }

        @Test func aBusThatIsAbsentIsAnError() async throws {
            let program = try Peers.underBlueZ(
                scene: "empty", ["-c", ""], options: ["--bus", "unix:path=/nonexistent/bus"])
            #expect(await program.exit() == .status(69))
        }

        /// The scene and the test of the page, as its readers run them.
        @Test func theCodeOfThePageRuns() async throws {
            let page = try Peers.page("HowTo/bluez.md")
            let directory = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            for block in page.split(separator: "\n```").compactMap({ $0.split(separator: "\n# ", maxSplits: 1).last }) {
                let lines = block.split(separator: "\n", maxSplits: 1)
                guard lines.count == 2, let name = lines.first, name.hasSuffix(".yaml") || name.hasSuffix(".py") else {
                    continue
                }
                try String(lines[1]).write(
                    to: directory.appending(path: String(name)), atomically: true, encoding: .utf8)
            }
            // The reader has `harald` in the PATH.
            let programs = URL(filePath: Peers.haraldProgram).deletingLastPathComponent().path()
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let program = try PeerProcess(
                "env",
                ["-C", directory.path(), "PATH=\(programs):\(path)", "PYTHONDONTWRITEBYTECODE=1", "harald", "bluez"]
                    + ["--adapter", "virtual:strap.yaml", "--", Peers.python, "-m", "pytest", "-p", "no:cacheprovider"])
            #expect(await program.exit() == .status(0), "\(program.transcript)")
            #expect(program.transcript.contains("2 passed"), "\(program.transcript)")
        }

        /// Nothing remains of a service that was killed.
        @Test func aKilledServiceTakesItsProgramsWithIt() async throws {
            let script =
                "import os, sys; print(os.getpid(), os.environ['DBUS_SYSTEM_BUS_ADDRESS']); sys.stdout.flush(); "
            let program = try Peers.underBlueZ(scene: "empty", ["-c", script + "import signal; signal.pause()"])
            let line = try await program.line("process") { $0.text.contains("unix:path=") }.text
            let words = line.split(separator: " ")
            let child = try #require(words.first.flatMap { Int32($0) })
            let socket = try #require(line.split(separator: "unix:path=").last?.split(separator: ",").first)
            program.signal(SIGKILL)
            _ = await program.exit()
            // The kernel has sent the signal; the process ends within a moment.
            let clock = ContinuousClock()
            let limit = clock.now + .seconds(10)
            while Self.isRunning(child), clock.now < limit { try await Task.sleep(for: .milliseconds(10)) }
            #expect(!Self.isRunning(child))
            // The next start removes the directory of the one that was killed.
            let next = try Peers.underBlueZ(scene: "empty", ["-c", ""])
            #expect(await next.exit() == .status(0))
            #expect(!FileManager.default.fileExists(atPath: String(socket)))
        }

        /// A process that has ended may wait for a parent that never asks for its status.
        private static func isRunning(_ process: Int32) -> Bool {
            let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            return status.map { !$0.contains(") Z ") } ?? false
        }
    }
}
#endif
