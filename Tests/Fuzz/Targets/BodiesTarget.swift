import BluetoothModel
import Explorer

extension FuzzTarget {
    /// The body of a request to `harald serve`: a valid body is unchanged after it was read, written and read again.
    static let bodies = FuzzTarget(
        "bodies", "bodies of HTTP requests", maximumLength: 1024,
        seeds: {
            [
                #"{"peripheral":"C0:00:00:00:00:01","name":"Pulse","rssi":-60,"isConnectable":true,"id":null}"#,
                #"[1,-2.5e3,true,false,null,"\u00e9\ud83d\ude00\n",{},[]]"#, #"{"a":{"b":[[[0]]]}}"#, " 1e400 ",
                #"{"value":"u16:500","filter":"name~Pulse and rssi>-70","level":"authenticated"}"#,
            ].map { Array($0.utf8) }
        },
        run: { (view) throws(Finding) in
            guard let value = try? JSONValue(parsing: view.array) else { return }
            let again = try? JSONValue(parsing: Array(value.text.utf8))
            try require(again?.text == value.text, "\(value.text) became \(again?.text ?? "nothing")")
        })
}
