/// The form of the readings on standard output.
enum MonitorForm: Sendable {
    case text, json, csv
}
