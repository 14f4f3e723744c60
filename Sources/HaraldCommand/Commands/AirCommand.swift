#if Programs
import Adapters
import ArgumentParser
import BluetoothTransport
import Harald
import VirtualBluetooth
import VirtualDevices

/// `harald air`
struct AirCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "air", abstract: "Offer a virtual air that other programs join.",
        discussion: """
            Every program that connects to one of the addresses gets a virtual controller of its own on one air, and \
            sees the devices of the scene and whatever the others advertise. The air is offered on a socket of yours, \
            which '--adapter virtual:' joins, and at the addresses of --listen: tcp:[HOST:]PORT, unix:PATH, seq:PATH; \
            several are separated by commas, and port 0 is a free one. The first line says where it is offered.

            Where Linux has one of its controllers ('btattach'), use --connection-events: BlueZ can lose a request \
            whose answer comes sooner than any radio brings it.

            SCENE is \(BuiltIn.scenes.keys.sorted().joined(separator: ", ")), or the path of a YAML file. The air is \
            offered without limit, until Ctrl-C or for --for seconds.

            EXAMPLES
              harald air
              harald air clinic --listen tcp:127.0.0.1:9001
              harald air empty --listen tcp:127.0.0.1:9001,unix:/tmp/controller --no-user-socket
            """)

    @Argument(help: ArgumentHelp("The scene.", valueName: "SCENE"), completion: Completions.scenes)
    var scene = "default"

    @Option(help: ArgumentHelp("Further addresses to offer the air at, separated by commas.", valueName: "addresses"))
    var listen: [String] = []

    @Flag(name: .customLong("no-user-socket"), help: "Do not offer the air on the user's socket.")
    var noUserSocket = false

    @Flag(
        help: ArgumentHelp(
            "Data waits for the connection events of a link, as on real air; without it, it crosses at once."))
    var connectionEvents = false

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("End after so long.", valueName: "seconds"))
    var length: Double?

    @Flag(help: "Print JSON Lines: one object with the addresses, then one an event.")
    var json = false

    var pace: AirPace { connectionEvents ? .connectionInterval : .unpaced }

    func validate() throws {
        if let length, !(length > 0 && length <= 1e9) { throw ValidationError("--for is a number of seconds above 0") }
    }

    func perform() async throws {
        var addresses = try listen.flatMap { $0.split(separator: ",") }.map { text in
            do { return try ListenAddress(String(text)) } catch { throw ProgramError(.usage, "\(error)") }
        }
        if !noUserSocket {
            let path = UserAir.socketPath()
            if UserAir.isAlive(path) {
                throw ProgramError(
                    .failed, "an air is offered at \(path) already; stop it, or use --no-user-socket with --listen")
            }
            try UserAir.makeDirectory(for: path)
            addresses.insert(.unix(path: path), at: 0)
        }
        if length == nil { Console.message("offering the air without limit; Ctrl-C ends") }
        guard !addresses.isEmpty else { throw ProgramError(.usage, "--no-user-socket needs --listen") }
        let file = try SceneLoader.scene(scene)
        let asJSON = json
        try await OfferedScene.run(
            file, at: addresses, pace: pace, for: length.map { .seconds($0) }
        ) { $0.print(asJSON: asJSON) }
    }
}
#endif
