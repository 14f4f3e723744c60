#if Programs
import Harald

/// Reads the effect of a write.
struct WriteBehaviourReader {
    func behaviour(_ node: FileNode) throws(DeviceFileError) -> WriteBehaviour {
        let mapping = try node.mapping(.onWrite)
        var behaviour = WriteBehaviour()
        behaviour.stores = try mapping["store"]?.bool("store") ?? true
        behaviour.echoes = try mapping["echo"]?.bool("echo") ?? false
        behaviour.answersOn = try mapping["on"]?.uuid("a characteristic", .characteristic)
        behaviour.notify = try mapping["notify"]?.value()
        for element in mapping["reply"]?.listOrOne() ?? [] { behaviour.replies.append(try reply(element)) }
        return behaviour
    }

    private func reply(_ node: FileNode) throws(DeviceFileError) -> WriteReply {
        let mapping = try node.mapping(.reply)
        let when = try mapping.required("when")
        let text = try when.string("when")
        guard let pattern = BytePattern(text) else {
            throw when.error(
                "when must be bytes such as \"01 ?? 03 *\", '??' for any byte and '*' for more, not '\(text)'")
        }
        let reply = WriteReply(
            when: pattern, notify: try mapping["notify"]?.value(), refusal: try mapping["error"]?.attError(),
            disconnects: try mapping["disconnect"]?.bool("disconnect") ?? false)
        if reply.refusal != nil, reply.notify != nil {
            throw mapping.place(of: "error").error("a reply cannot have both 'notify' and 'error'")
        }
        return reply
    }
}
#endif
