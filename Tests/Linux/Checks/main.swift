// The program that `make test-linux` runs inside its machine: each step on a line, "ok" or "FAIL", and an exit status
// for the overall result. The first argument selects the part.
import Foundation

let arguments = CommandLine.arguments
switch arguments.count > 1 ? arguments[1] : "" {
case "central": await CentralChecks.run()
case "shared": await SharedChecks.run()
case "restart": await RestartChecks.run()
case "peripheral": await PeripheralPart.run()
case "visit": await VisitChecks.run()
case "measured": await MeasuredDevice.run()
case "service" where arguments.count == 3: await ServicePart.run(arguments[2])
case "measure":
    let numbers = arguments.dropFirst(3).compactMap { Int($0) }
    guard numbers.count == 3, numbers.allSatisfy({ (1...65_535).contains($0) }) else {
        say("usage: HaraldLinuxChecks measure NAME READS NOTIFICATIONS RATE")
        exit(64)
    }
    await MeasureChecks.run(arguments[2], reads: numbers[0], notifications: numbers[1], rate: numbers[2])
default:
    say(
        "usage: HaraldLinuxChecks central|shared|restart|peripheral|visit|measured|measure|service "
            + "(the adapter is $HARALD_ADAPTER)"
    )
    exit(64)
}
exit(Checks.failures == 0 ? 0 : 1)
