import Adapters
import ArgumentParser
import BluetoothTransport
import Harald
import VirtualBluetooth
import VirtualDevices

struct AirCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "air", abstract: "Serve a virtual air that other programs can join.",
        discussion: """
            Each program that connects to one of the addresses gets its own virtual controller on one shared air. It \
            sees the devices of the scene and the advertisements of the other programs. The air is served on the \
            user's socket, which '--adapter virtual:' joins, and at the addresses of --listen: tcp:[HOST:]PORT, \
            unix:PATH, seq:PATH, separated by commas; port 0 selects a free port. The first line of output lists the \
            addresses.

            If one of the controllers is attached to Linux ('btattach'), use --connection-events: BlueZ can lose a \
            request whose response arrives sooner than any radio could deliver it.

            SCENE is \(BuiltIn.scenes.keys.sorted().joined(separator: ", ")), or the path of a YAML file. The air is \
            served without limit, until Ctrl-C or for --for seconds.

            EXAMPLES
              harald air
              harald air clinic --listen tcp:127.0.0.1:9001
              harald air empty --listen tcp:127.0.0.1:9001,unix:/tmp/controller --no-user-socket
            """)

    @Argument(help: ArgumentHelp("The scene.", valueName: "SCENE"), completion: Completions.scenes)
    var scene = "default"

    @Option(
        help: ArgumentHelp("Additional addresses to serve the air at, separated by commas.", valueName: "addresses"))
    var listen: [String] = []

    @Flag(name: .customLong("no-user-socket"), help: "Do not serve the air on the user's socket.")
    var noUserSocket = false

    @Flag(
        help: ArgumentHelp(
            "Deliver data at the connection events of a link, as on real air; otherwise data is delivered at once."))
    var connectionEvents = false

    @OptionGroup var length: TimeOption

    @Flag(help: "Print JSON Lines: one object with the addresses, then one per event.")
    var json = false

    var pace: AirPace { connectionEvents ? .connectionInterval : .unpaced }

    func perform() async throws {
        var addresses = try listen.flatMap { $0.split(separator: ",") }.map { text in
            do { return try ListenAddress(String(text)) } catch { throw ProgramError(.usage, "\(error)") }
        }
        if !noUserSocket {
            let path = UserAir.socketPath()
            if UserAir.isAlive(path) {
                throw ProgramError(
                    .failed, "an air is already served at \(path); stop it, or use --no-user-socket with --listen")
            }
            try UserAir.makeDirectory(for: path)
            addresses.insert(.unix(path: path), at: 0)
        }
        if length.limit == nil { Console.message("serving the air without limit; Ctrl-C stops it") }
        guard !addresses.isEmpty else { throw ProgramError(.usage, "--no-user-socket requires --listen") }
        let file = try SceneLoader.scene(scene)
        let asJSON = json
        try await OfferedScene.run(
            file, at: addresses, pace: pace, for: length.limit
        ) { $0.print(asJSON: asJSON) }
    }
}
