import SystemBus
import Testing

@testable import BlueZService

/// The tree alone: changes in, signals out.
@Suite struct ObjectTreeTests {
    private final class Thing: ExportedObject {
        var size: Int32? = 1
        var name = "a"

        override var interfaces: [Interface] { [.thing] }
    }

    private let signals = Signals()
    private let tree: ObjectTree

    private final class Signals {
        var all: [BusSignal] = []
        var pending = 0
    }

    init() {
        let signals = signals
        tree = ObjectTree {
            signals.all.append($0)
        } onPending: {
            signals.pending += 1
        }
        tree.add(RootObject())
        tree.flush()
        signals.all = []
        signals.pending = 0
    }

    private func added(_ path: String) -> Thing {
        let thing = Thing(path: path)
        tree.add(thing)
        tree.flush()
        signals.all = []
        return thing
    }

    private func run(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) -> Result<[BusValue], BusError>? {
        var answer: Result<[BusValue], BusError>?
        tree.handle(
            BusCall(path: path, interface: interface, member: member, sender: ":1.1", arguments: arguments) {
                answer = $0
            })
        return answer
    }

    private func error(_ result: Result<[BusValue], BusError>?) -> String? {
        if case .failure(let error) = result { error.name } else { nil }
    }

    @Test func anObjectIsAnnouncedWithItsCurrentProperties() {
        let thing = Thing(path: "/a/b")
        tree.add(thing)
        thing.name = "later"
        thing.changed(.thing, ["Name"])
        #expect(signals.pending == 1)
        tree.flush()
        #expect(signals.all.map(\.member) == ["InterfacesAdded"])
        #expect(signals.all[0].added("test.Thing")?["Name"] == .string("later"))
    }

    @Test func changesOfATurnAreOneSignal() {
        let thing = added("/a/b")
        thing.name = "b"
        thing.changed(.thing, ["Name"])
        thing.size = nil
        thing.changed(.thing, ["Size", "Name"])
        tree.flush()
        #expect(signals.all.count == 1)
        #expect(signals.all[0].changes == ["Name": .string("b")])
        #expect(signals.all[0].invalidated == ["Size"])
    }

    @Test func anObjectThatIsRemovedBeforeItIsAnnouncedIsNotAnnounced() {
        let thing = Thing(path: "/a/b")
        tree.add(thing)
        tree.remove(thing)
        tree.flush()
        #expect(signals.all.isEmpty)
        let other = added("/a/c")
        other.changed(.thing, ["Name"])
        tree.remove(other)
        tree.flush()
        #expect(signals.all.map(\.member) == ["InterfacesRemoved"])
        #expect(signals.all[0].arguments[1].texts?.contains("test.Thing") == true)
        #expect(error(run("/a/c", "test.Thing", "Grow", [.int32(1)])) == "org.freedesktop.DBus.Error.UnknownObject")
    }

    @Test func signalsPrecedeTheAnswer() {
        _ = added("/a/b")
        var count = 0
        let signals = signals
        tree.handle(
            BusCall(path: "/a/b", interface: "test.Thing", member: "Grow", sender: ":1.1", arguments: [.int32(2)]) {
                _ in
                count = signals.all.count
            })
        #expect(count == 1)
        #expect(signals.all.first?.changes == ["Size": .int32(3)])
    }

    @Test func propertiesAreReadAndWritten() throws {
        let thing = added("/a/b")
        let properties = "org.freedesktop.DBus.Properties"
        let size: [BusValue] = [.string("test.Thing"), .string("Size")]
        #expect(try run("/a/b", properties, "Get", size)?.get() == [.variant(.int32(1))])
        #expect(
            try run("/a/b", properties, "GetAll", [.string("test.Thing")])?.get()
                == [.properties(["Size": .int32(1), "Name": .string("a")])])
        #expect(try run("/a/b", properties, "Set", size + [.variant(.int32(7))])?.get() == [])
        #expect(thing.size == 7)
        thing.size = nil
        let standard = "org.freedesktop.DBus.Error."
        #expect(error(run("/a/b", properties, "Get", size)) == standard + "InvalidArgs")
        #expect(error(run("/a/b", properties, "Set", size + [.variant(.string(""))])) == standard + "InvalidSignature")
        let name: [BusValue] = [.string("test.Thing"), .string("Name"), .variant(.string("x"))]
        #expect(error(run("/a/b", properties, "Set", name)) == standard + "PropertyReadOnly")
        let other: [BusValue] = [.string("test.Thing"), .string("Other"), .variant(.string("x"))]
        #expect(error(run("/a/b", properties, "Set", other)) == standard + "UnknownProperty")
        #expect(error(run("/a/b", properties, "GetAll", [.string("no.Such")])) == standard + "InvalidArgs")
    }

    @Test(arguments: [
        ("/a/b", "test.Thing", "Grow", [BusValue.string("1")], "UnknownMethod"),
        ("/a/b", "test.Thing", "Grow", [], "UnknownMethod"),
        ("/a/b", "test.Other", "Grow", [.int32(1)], "UnknownMethod"),
        ("/a", "test.Thing", "Grow", [.int32(1)], "UnknownMethod"),
        ("/x", "test.Thing", "Grow", [.int32(1)], "UnknownObject"),
    ])
    func wrongCallsAreErrors(_ path: String, _ interface: String, _ member: String, _ a: [BusValue], _ name: String) {
        _ = added("/a/b")
        #expect(error(run(path, interface, member, a)) == "org.freedesktop.DBus.Error." + name)
    }

    @Test func nodesAboveObjectsCanBeIntrospected() throws {
        _ = added("/a/b")
        let introspectable = "org.freedesktop.DBus.Introspectable"
        let node = try run("/a", introspectable, "Introspect")?.get().first?.text
        #expect(node?.contains("<node name=\"b\"/>") == true)
        let object = try run("/a/b", introspectable, "Introspect")?.get().first?.text ?? ""
        for part in [
            "<method name=\"Grow\"><arg name=\"by\" type=\"i\" direction=\"in\"/></method>",
            "<property name=\"Size\" type=\"i\" access=\"readwrite\"/>",
            "<property name=\"Name\" type=\"s\" access=\"read\"/>", "<interface name=\"\(introspectable)\">",
        ] { #expect(object.contains(part), "\(part)") }
    }

    @Test func managedObjectsHaveTheirInterfaces() throws {
        _ = added("/a/b")
        let all = try run("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")?.get().first
        guard case .dictionary(let objects, key: "o", value: "a{sa{sv}}") = all else {
            Issue.record("\(String(describing: all))")
            return
        }
        #expect(objects.keys.map(\.text) == ["/a/b"])
    }

    fileprivate static let grow = Interface.Method("Grow", in: [.init("by", "i")]) {
        (thing: Thing, call) throws(BusError) in
        thing.size = (thing.size ?? 0) + Int32(call.arguments[0].integer ?? 0)
        thing.changed(.thing, ["Size"])
        return .done
    }
    fileprivate static let size = Interface.Property("Size", "i") { (thing: Thing) in
        thing.size.map { .int32($0) }
    } write: { (thing, value, _) throws(BusError) in
        thing.size = value.integer.map { Int32($0) }
        return .done
    }
    fileprivate static let name = Interface.Property("Name", "s") { (thing: Thing) in .string(thing.name) }
}

extension Interface {
    fileprivate static let thing: Interface = Interface(
        name: "test.Thing", properties: [ObjectTreeTests.size, ObjectTreeTests.name],
        methods: [ObjectTreeTests.grow])
}
