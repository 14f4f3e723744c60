import Explorer
import Foundation
import Harald
import TerminalScreen

/// The explorer in a terminal: passes key presses to the model, and renders the state of the model.
actor ExploreApp {
    private let model: ExplorerModel
    private let screen: TerminalSession
    private let viewer = ViewerID(rawValue: "terminal")
    private var view = ExploreView()
    private var data: ExploreData
    /// The number of visible rows in the list of the page.
    private var pageRows = 10
    private var isDirty = false
    private var isRefreshing = false
    private var actions: [Int: (words: String, task: Task<Void, Never>)] = [:]
    private var nextAction = 0
    /// The discovered attributes; kept after the end of a link for display.
    private var trees: [PeripheralID: TreeReport] = [:]
    private var discovered: Set<PeripheralID> = []
    private var isOver = false

    /// - Parameter filter: the text of a valid filter.
    init(model: ExplorerModel, screen: TerminalSession, adapter: String, filter: String) {
        self.model = model
        self.screen = screen
        data = ExploreData(radio: model.radio)
        data.adapter = adapter
        if let parsed = try? DeviceFilter(filter) { (view.filter, view.filterText) = (parsed, filter) }
    }

    /// Runs until the user quits.
    func run() async {
        await model.openViewer(viewer)
        let events = await model.events(for: viewer)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.obey() }
            group.addTask {
                for await event in events { await self.note(event) }
                // The stream of events ends before the user quits only if the adapter is lost. The user still ends the
                // program with a key.
                await Self.wait(.seconds(86_400 * 365))
            }
            group.addTask { await self.keepFresh() }
            await group.next()
            group.cancelAll()
        }
        isOver = true
        for action in actions.values { action.task.cancel() }
    }

    private static func wait(_ duration: Duration) async { try? await Task.sleep(for: duration) }

    // MARK: Keys

    private func obey() async {
        for await event in screen.events {
            switch event {
            case .closed: return
            case .changed: break
            case .key(let key):
                for action in view.apply(key, data, page: pageRows) {
                    if action == .quit { return }
                    begin(action)
                }
            }
            // Draws the effect of the key at once; the response of the model, or a new page, follows after the refresh.
            draw()
            await refresh()
        }
    }

    // MARK: Drawing

    /// Redraws changes at most ten times a second, and elapsed times once a second.
    private func keepFresh() async {
        await refresh()
        var count = 0
        while !Task.isCancelled {
            await Self.wait(.milliseconds(100))
            count += 1
            if isDirty || count % 10 == 0 { await refresh() }
        }
    }

    private func draw() {
        // Skips drawing while `data` still belongs to the previous page.
        guard !isOver, data.page == view.page else { return }
        let (columns, rows) = Terminal.size
        data.now = .now
        data.running = actions.sorted { $0.key < $1.key }.map(\.value.words)
        let (picture, page) = ExploreScreen.draw(
            &view, data, columns: columns, rows: rows, glyphs: Terminal.glyphs)
        pageRows = page
        screen.show(picture)
    }

    /// Loads the data of the page from the model, and draws the page.
    private func refresh() async {
        isDirty = true
        guard !isRefreshing else { return }
        isRefreshing = true
        defer { isRefreshing = false }
        // The state may have changed while the model was queried.
        while isDirty, !isOver {
            isDirty = false
            await load()
            draw()
        }
    }

    private func load() async {
        let page = view.page
        defer { data.page = page }
        data.radio = model.radio
        data.isScanning = await model.isScanning
        let listing = await model.devices(DeviceQuery(filter: view.filter, order: view.order))
        data.devices = view.place(listing.devices)
        data.hiddenCount = listing.hiddenCount
        let window = view.deviceScroll.window(count: data.devices.count, page: pageRows)
        if page == .devices {
            var strengths: [PeripheralID: [RSSISample]] = [:]
            for device in data.devices[window] { strengths[device.id] = await model.rssiHistory(device.id, last: 16) }
            data.strengths = strengths
        }
        await loadDevice()
        switch page {
        case .attribute(let id, let handle):
            (data.values, data.droppedValues) =
                (try? await model.values(id, handle: handle, for: viewer)) ?? ([], 0)
        case .log(let id):
            data.log = await model.logEntries(of: id)
            data.droppedEntries = await model.droppedLogEntries
        default: break
        }
    }

    private func loadDevice() async {
        guard let id = view.device else {
            (data.detail, data.connection, data.tree) = (nil, nil, nil)
            return
        }
        data.detail = await model.detail(id)
        if view.page == .devices, data.detail?.device.connection == .disconnected {
            data.connection = nil
        } else {
            data.connection = try? await model.connection(id)
        }
        if data.connection?.phase == .connected, discovered.contains(id), view.page != .devices {
            trees[id] = (try? await model.tree(id, for: viewer)) ?? trees[id]
        }
        data.tree = trees[id]
    }

    // MARK: Events of the model

    private func note(_ event: ExplorerEvent) {
        switch event {
        case .pairing(let request): view.note(request)
        case .connection(let report):
            if report.phase != .connected {
                discovered.remove(report.id)
            } else if trees[report.id] != nil, discovered.insert(report.id).inserted {
                // The link was reestablished, so the attributes are discovered again.
                Task {
                    try? await self.discover(report.id)
                    self.isDirty = true
                }
            }
            if let reason = report.reason, report.phase == .disconnected || report.phase == .reconnecting {
                let advice = report.advice.isEmpty ? "" : "; \(report.advice)"
                view.say("\(report.name ?? "the device"): \(reason)\(advice)", isError: true)
            }
        case .missed(let count): view.say("\(count) events were dropped", isError: true)
        case .device, .gone, .value, .log, .radio: break
        }
        isDirty = true
    }

    /// Shows a message of the program. It is printed again when the screen is closed.
    func say(_ text: String) {
        view.say(text.trimmingCharacters(in: .whitespacesAndNewlines))
        isDirty = true
    }

    // MARK: Actions

    /// Starts an action; actions run concurrently.
    private func begin(_ action: ExploreAction) {
        nextAction += 1
        let number = nextAction
        let task = Task {
            await self.perform(action)
            self.actions[number] = nil
            await self.refresh()
        }
        if let progress = action.progress { actions[number] = (progress, task) }
    }

    private func perform(_ action: ExploreAction) async {
        do {
            if let done = try await result(of: action) { view.say(done) }
        } catch let error as BluetoothError {
            if Task.isCancelled || error.code == .cancelled { return }
            view.say("\(error)", isError: true)
        } catch {
            view.say("\(error)", isError: true)
        }
    }

    /// Performs an action.
    /// - Returns: a message about the result; nil if the screen shows the result anyway.
    /// - Throws: an error of the model or of writing a file.
    private func result(of action: ExploreAction) async throws -> String? {
        switch action {
        case .quit: return nil
        case .setScanning(let isOn): await model.setScanning(isOn)
        case .powerOn: try await model.setPowered(true)
        case .setFavourite(let id, let isFavourite): try await model.setFavourite(isFavourite, id)
        case .connect(let id, let reconnects):
            let wasConnected = await model.connectionPhase(id) != .disconnected
            try await model.connect(id, for: viewer, reconnects: reconnects)
            try await discover(id)
            if wasConnected {
                return reconnects ? "a lost link will be reconnected" : "a lost link will not be reconnected"
            }
        case .disconnect(let id): try await model.disconnect(id, for: viewer)
        case .pair(let id):
            return "paired: \(SecurityText.text(try await model.pair(id, for: viewer)))"
        case .read(let id, let handle): try await model.read(id, handle: handle, for: viewer)
        case .readAll(let id): trees[id] = try await model.readAll(id, for: viewer)
        case .write(let id, let handle, let bytes, let withResponse):
            let report = try await model.write(
                id, handle: handle, bytes, type: withResponse ? .withResponse : .withoutResponse, for: viewer)
            return "wrote \(report.value.hex)" + (withResponse ? "" : ", without response")
        case .subscribe(let id, let handle): try await model.subscribe(id, handle: handle, for: viewer)
        case .unsubscribe(let id, let handle): try await model.unsubscribe(id, handle: handle, for: viewer)
        case .answer(let question, let answer):
            if await !model.answer(question, answer) { return "the pairing request has already ended" }
        case .exportLog(let path, let id):
            let entries = await model.logEntries(of: id)
            try ExploreFile.write(ExploreFile.log(entries, asCSV: path.lowercased().hasSuffix(".csv")), to: path)
            return "wrote \(entries.count.counted("entry", "entries")) to \(path)"
        case .clone(let id, let path):
            trees[id] = try await model.readAll(id, for: viewer)
            try ExploreFile.write(try await model.clone(id, for: viewer).yaml, to: path)
            return "wrote \(path); 'harald simulate \(ExploreFile.argument(path))' runs it"
        }
        return nil
    }

    private func discover(_ id: PeripheralID) async throws {
        trees[id] = try await model.tree(id, for: viewer)
        discovered.insert(id)
    }
}
