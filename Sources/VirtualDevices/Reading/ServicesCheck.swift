#if Programs
import BluetoothBackend
import Harald
import HostBackend

/// Checks the services of a device as a whole: includes and handles. Errors are reported here, with their position in
/// the file, rather than when the device starts.
struct ServicesCheck {
    /// The maximum number of services.
    static let maximumCount = 1000

    /// The nodes of the services, in order.
    let nodes: [FileNode]

    /// Resolves the includes of `device`. Throws if its services cannot be placed.
    func check(_ device: inout DeviceFile) throws(DeviceFileError) {
        guard nodes.count <= Self.maximumCount else {
            throw nodes[Self.maximumCount].error(
                "a device may have at most \(Self.maximumCount) services, but this has \(nodes.count)")
        }
        var names: Set<String> = []
        for (index, service) in device.services.enumerated() {
            if let name = service.name, !names.insert(name).inserted {
                throw place(index, "name").error(
                    "the name '\(name)' is used twice, so that 'includes' would be ambiguous")
            }
            if service.isGeneric, device.services[..<index].contains(where: { $0.uuid == service.uuid }) {
                throw place(index, "uuid").error(
                    "a device may have one service \(service.uuid), but this is the second")
            }
        }
        for (index, node) in nodes.enumerated() {
            for element in node.value(of: "includes")?.listOrOne() ?? [] {
                device.services[index].includes.append(try include(element, in: device.services))
            }
        }
        try checkPlaces(device)
    }

    /// Resolves a service by its name in the file, else by its UUID if that is unambiguous.
    private func include(_ node: FileNode, in services: [DeviceService]) throws(DeviceFileError) -> DeviceInclude {
        let text = try node.string("an included service")
        if services.contains(where: { $0.name == text }) { return .name(text) }
        let names = services.compactMap(\.name)
        if let meant = Spelling.nearest(to: text, among: names), BluetoothUUID(text) == nil {
            throw node.error("no service has the name '\(text)'; did you mean '\(meant)'?")
        }
        let uuid = try node.uuid("an included service", .service)
        switch services.count(where: { $0.uuid == uuid }) {
        case 0: throw node.error("\(uuid) is included, but the device has no such service")
        case 1: return .uuid(uuid)
        default:
            throw node.error(
                "several services have the UUID \(uuid); give one a 'name', and include it by this name")
        }
    }

    private func checkPlaces(_ device: DeviceFile) throws(DeviceFileError) {
        guard
            let problem = LocalDatabase.problem(
                with: device.localServices, addsGenericServices: device.addsGenericServices)
        else { return }
        let reason =
            switch problem.reason {
            case .invalidArgument(let text), .limit(let text), .unsupported(let text): text
            default: "\(problem.reason)"
            }
        throw place(of: problem, in: device).error(reason)
    }

    /// Returns the node of the invalid handle if there is one, else that of the definition.
    private func place(of problem: LocalPlacementError, in device: DeviceFile) -> FileNode {
        // The stack's own services have no node. Services of the file that precede them occupy the handles.
        guard let index = problem.service ?? device.services.firstIndex(where: \.isGeneric) else { return nodes[0] }
        var node = nodes[index]
        var key = node.value(of: "handle") == nil ? "endHandle" : "handle"
        if let number = problem.characteristic, let inner = node.element(number, of: "characteristics") {
            (node, key) = (inner, "handle")
            // A user description is the last descriptor, which has no entry in the list.
            if let descriptor = problem.descriptor, let inner = node.element(descriptor, of: "descriptors") {
                node = inner
            }
        }
        return node.value(of: key) ?? node
    }

    private func place(_ index: Int, _ key: String) -> FileNode { nodes[index].value(of: key) ?? nodes[index] }
}
#endif
