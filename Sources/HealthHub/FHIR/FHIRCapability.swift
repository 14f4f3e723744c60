import JSON

/// The statement by which FHIR clients learn what a hub accepts (`GET /fhir/metadata`).
package enum FHIRCapability {
    /// The CapabilityStatement: `transaction` and `batch`, in JSON.
    package static let statement: JSONValue = [
        "resourceType": "CapabilityStatement", "status": "active", "date": "2026-11-27", "kind": "instance",
        "implementation": ["description": "Harald health hub"], "fhirVersion": "4.0.1",
        "format": ["application/fhir+json", "json"],
        "rest": [
            [
                "mode": "server",
                "documentation": "Observations of devices, with the Devices and Patients to which they refer.",
                "interaction": [["code": "transaction"], ["code": "batch"]],
                "resource": [
                    [
                        "type": "Observation", "interaction": [["code": "read"], ["code": "search-type"]],
                        "searchParam": [
                            ["name": "patient", "type": "reference"], ["name": "subject", "type": "reference"],
                            ["name": "code", "type": "token"], ["name": "date", "type": "date"],
                        ],
                    ], ["type": "Patient", "interaction": [["code": "read"], ["code": "search-type"]]],
                ],
            ]
        ],
    ]
}
