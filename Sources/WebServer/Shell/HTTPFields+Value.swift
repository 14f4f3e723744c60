#if Programs
import HTTPTypes

extension HTTPFields {
    /// Returns the value of a field, and of several fields of this name the joined values.
    ///
    /// The subscript joins also the value of a single field, which takes five times as long.
    func value(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            if found != nil { return self[name] }
            found = field.value
        }
        return found
    }
}
#endif
