import JSON

/// A JSON value, for the users of this module.
package typealias JSONValue = JSON.JSONValue
