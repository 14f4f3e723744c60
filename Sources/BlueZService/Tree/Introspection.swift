/// Introspection documents (D-Bus Specification, "Introspection Data Format").
enum Introspection {
    private static let head = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        """

    /// Returns the document of an object with these interfaces and the names of the nodes below it.
    static func document(_ interfaces: [Interface], children: [String]) -> String {
        let contents = interfaces.map(element) + children.map { "<node name=\"\($0)\"/>" }
        return head + "<node>" + contents.joined() + "</node>"
    }

    // Names and types need no escapes: they are literals of this module, and paths of the bus.
    private static func element(_ interface: Interface) -> String {
        let methods = interface.methods.map { method in
            "<method name=\"\(method.name)\">" + arguments(method.inputs, "in") + arguments(method.outputs, "out")
                + "</method>"
        }
        let signals = interface.signals.map { signal in
            "<signal name=\"\(signal.name)\">" + arguments(signal.arguments, nil) + "</signal>"
        }
        let properties = interface.properties.map { property in
            let access = property.write == nil ? "read" : "readwrite"
            return "<property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"/>"
        }
        return "<interface name=\"\(interface.name)\">" + (methods + signals + properties).joined() + "</interface>"
    }

    private static func arguments(_ arguments: [Interface.Argument], _ direction: String?) -> String {
        let direction = direction.map { " direction=\"\($0)\"" } ?? ""
        return arguments.map { "<arg name=\"\($0.name)\" type=\"\($0.type)\"\(direction)/>" }.joined()
    }
}
