/// The built-in rules: the YAML files in the folder `Files`, which are part of the executable.
package enum BuiltInRules {
    package static let files: [(name: String, text: String)] = [
        ("blood-pressure-urgent", PackageResources.blood_pressure_urgent_yaml),
        ("blood-pressure-acc-aha", PackageResources.blood_pressure_acc_aha_yaml),
        ("blood-pressure-esc", PackageResources.blood_pressure_esc_yaml), ("glucose", PackageResources.glucose_yaml),
        ("body", PackageResources.body_yaml), ("oxygen", PackageResources.oxygen_yaml),
        ("temperature", PackageResources.temperature_yaml),
    ].map { ($0 + ".yaml", String(decoding: $1, as: UTF8.self)) }
}
