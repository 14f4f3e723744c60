import ArgumentParser
import Explorer
import ExplorerWeb
import Foundation
import Harald
import Logging
import WebServer
import Workbench

struct ServeCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Explore devices in a browser and over HTTP.",
        discussion: """
            Shows devices, their services, SensorTags and, on a virtual radio, a laboratory in the browser, and \
            provides the same functions as an HTTP API (Documentation/Explorer.md). It prints a login URL that is \
            valid once, for five minutes. Programs send the content of the token file: 'Authorization: Bearer TOKEN'.

            It listens on loopback. On other addresses it requires a password and uses TLS: with --certificate and \
            --key, or with a certificate that is created at the first start, whose fingerprint is printed.

            With --json the first line is {"event":"listening","url":...}, with base (the address without a login) and \
            login (the URL that logs one browser in), as of 'harald hub'.

            EXAMPLES
              harald serve
              harald serve --adapter virtual:sensortags
              harald serve --listen 0.0.0.0:8443 --password-file password.txt --host pi.local
              harald serve --no-browser --json --token-file token --read-only
            """)

    enum Defaults: ServerDefaults {
        static let port = 8480
        static let tokenFile = "serve-token in the user's data directory"
    }

    @OptionGroup var server: ServerOptions<Defaults>

    @Flag(help: "Allow only connecting, reading and subscribing.")
    var readOnly = false

    @Flag(help: "Keep signal strengths on the virtual radio constant.")
    var steady = false

    @Flag(help: "Do not open the browser.")
    var noBrowser = false

    @OptionGroup var recording: RecordOption
    @OptionGroup var shared: SharedOptions

    func perform() async throws {
        let store =
            shared.dataDirectory
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(getuid())").path
        var configuration = WebServerConfiguration(
            listen: try server.address(), name: "serve", title: "Harald", store: store,
            logger: Logger(label: "harald.serve"))
        server.apply(to: &configuration)
        let settings = configuration
        try await ExplorerSession.run(shared, refusesPairing: readOnly, recording: recording) { session in
            var options = ExplorerAPI.Options(version: HaraldVersion.current)
            options.isReadOnly = readOnly
            options.script = { [recorder = session.recorder] in recorder.text }
            let (recorder, uri) = (session.recorder, session.ownAir)
            let air = session.adapter.scene.map { AirLaboratory($0) { recorder.note($0, on: uri) } }
            // Constant strengths would look like a broken radio.
            await air?.setFading(depth: steady ? nil : 4)
            let api = ExplorerAPI(session.model, air: air, capture: session.capture, options: options)
            var routes = WebRoutes()
            api.addRoutes(to: &routes)
            let server = WebServer(configuration: settings, routes: routes, site: ExplorerSite.site, hub: api.hub)
            try await serve(server, api)
        }
        try Task.checkCancellation()
    }

    private func serve(_ server: WebServer, _ api: ExplorerAPI) async throws {
        let command = self
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await api.publishEvents() }
            group.addTask { try await server.run { command.announce($0, server) } }
            // The first task that ends ends the command.
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Prints the addresses of the server, and opens its page in the browser.
    private func announce(_ listening: WebServer.Listening, _ server: WebServer) {
        let login = server.makeLoginURL()
        let url = login ?? listening.base
        if shared.json {
            Console.json(listening.json(url: url, login: login))
        } else {
            Console.line(url)
            if let fingerprint = listening.fingerprint { Console.message("certificate SHA-256 \(fingerprint)") }
            Console.message("the token for programs is in \(listening.tokenFile); Ctrl-C stops the server")
        }
        if !noBrowser, !shared.json, Terminal.isLive { Browser.open(url) }
    }
}

/// The user's browser.
private enum Browser {
    /// Opens a page if there is a desktop.
    static func open(_ url: String) {
        let environment = ProcessInfo.processInfo.environment
        #if canImport(Darwin)
        let (opener, isDesktop) = ("/usr/bin/open", environment["SSH_CONNECTION"] == nil)
        #else
        let (opener, isDesktop) = ("/usr/bin/xdg-open", environment["DISPLAY"] ?? environment["WAYLAND_DISPLAY"] != nil)
        #endif
        guard isDesktop, FileManager.default.isExecutableFile(atPath: opener) else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: opener)
        process.arguments = [url]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try? process.run()
    }
}
