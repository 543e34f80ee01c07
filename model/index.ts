export { canonicalAddress } from "./address/address.js";
export { canonicalPrefix, containsAddress, familyOf, overlaps, type Prefix, parsePrefix } from "./address/prefix.js";
export {
  type ChangeReport,
  type ChangeStep,
  changeAnywhere,
  changeOnNode,
  type NodeChange,
} from "./change/change-report.js";
export { changeText, type Paragraphs } from "./change/change-text.js";
export { type ConfigurationDifference, configurationDifferences } from "./change/configuration-differences.js";
export { conditionLine, type NetworkCondition, networkCondition } from "./change/network-condition.js";
export { checkNetworks } from "./configuration/check-networks.js";
export type * from "./configuration/configuration.js";
export { type Mistake, type MistakeCode, type ParseResult, renderMistake } from "./configuration/mistake.js";
export { selects } from "./configuration/node-selector.js";
export {
  type NetworkContext,
  networkSpec,
  parseConfiguration,
  parseNetwork,
} from "./configuration/parse-configuration.js";
export { parseConfigurationFile } from "./configuration/parse-configuration-file.js";
export { documentSource } from "./configuration/parse-document.js";
export { checkPoolAddresses, poolAddresses, sharedPoolAddresses } from "./configuration/pool-addresses.js";
export { derived, hasUnknown, isUnknown, unknownValue } from "./configuration/unknown-value.js";
export { isOwnAddress } from "./diff/address-operations.js";
export { type CleanUpPlan, cleanUpPlan, type Remaining } from "./diff/clean-up.js";
export { diffPlan, type NetworkDiff, operationsOf, type PlanDiff, type PlanStep, stepsOf } from "./diff/diff-plan.js";
export { isSealed, parseFilter, sealOf } from "./diff/filter-seal.js";
export {
  bridgedRemotely,
  type ForwardingDifference,
  type ForwardingPlan,
  forwardingChangeOperations,
  forwardingOperations,
} from "./diff/forwarding-operations.js";
export { type Interruption, interruptions } from "./diff/interruptions.js";
export { linkFailures } from "./diff/link-failures.js";
export { type LinkProperty, type LinkStray, linkProperties } from "./diff/link-properties.js";
export { linkStrays, type PrintedLink } from "./diff/link-strays.js";
export { factSysctls, nodeFacts } from "./diff/node-facts.js";
export type * from "./diff/observed-state.js";
export { type Operation, operationText, renderOperation } from "./diff/operation.js";
export { type PlanChange, planChange } from "./diff/plan-change.js";
export type { StrayRemoval } from "./diff/rule-operations.js";
export { stateOf } from "./diff/state-of.js";
export { stateOfFacts } from "./diff/state-of-facts.js";
export { type Stay, stay } from "./diff/stay.js";
export { observedSysctls } from "./diff/sysctl-changes.js";
export { configurationJsonSchema } from "./json-schema/configuration-json-schema.js";
export { agentRuntimeDirectory, agentStateDirectory, passwordDirectory } from "./kubernetes/agent-files.js";
export { customResourceDefinitions } from "./kubernetes/crds.js";
export { type ForeignOfNode, foreignClashes } from "./kubernetes/foreign-clashes.js";
export { foreignObjects } from "./kubernetes/foreign-objects.js";
export { heartbeatPeriod, heartbeatSilence, isHeard } from "./kubernetes/heartbeat.js";
export * from "./kubernetes/objects.js";
export { networkRevision, revisionName } from "./kubernetes/revision.js";
export { conditionRemedy } from "./node-plan/condition-remedy.js";
export { madeInterfaces, segmentInterface, tunnelOf } from "./node-plan/link-parts.js";
export type * from "./node-plan/node-facts.js";
export type * from "./node-plan/node-plan.js";
export { parseNodeFacts } from "./node-plan/parse-node-facts.js";
export { planNode, tablesOf } from "./node-plan/plan-node.js";
export { nodeNetworks } from "./node-plan/plan-rules.js";
export { otherVteps } from "./node-plan/plan-speaker.js";
export { routeKey } from "./node-plan/route-key.js";
export { ruleKey } from "./node-plan/rule-key.js";
export { addressCapacity } from "./numbers/address-capacity.js";
export { type Cni, cnis } from "./numbers/cni.js";
export { gobgpPort } from "./numbers/gobgp-port.js";
export { interfaceName, segmentInterfaceName } from "./numbers/interface-name.js";
export { defaultVxlanPort, vxlanOverhead } from "./numbers/limits.js";
export {
  assignMarks,
  ciliumMarkMask,
  type MarkAssignment,
  markCapacity,
  markMask,
  markMaskOf,
} from "./numbers/marks.js";
export { retryDelay } from "./numbers/retry-delay.js";
export { routeDistinguisher } from "./numbers/route-distinguisher.js";
export { type RouteTargets, routeTargets } from "./numbers/route-targets.js";
export {
  localTable,
  mainTable,
  networkTable,
  reservedTables,
  routingTable,
  segmentId,
} from "./numbers/routing-table.js";
export { firstRulePriority, lastRulePriority, type RulePriorities, rulePriorities } from "./numbers/rule-priorities.js";
export { vxlanMac } from "./numbers/vxlan-mac.js";
export { addressMetric } from "./ownership/address-metric.js";
export { aliasOf, networkOfAlias } from "./ownership/alias.js";
export { linkGroup } from "./ownership/link-group.js";
export { nftFamily, nftTableName } from "./ownership/nft-table.js";
export { isMarkedOurs } from "./ownership/own-link.js";
export { routeProtocol } from "./ownership/route-protocol.js";
export { configurationCommands, markVariables } from "./render/configuration-commands.js";
export { networkCommands } from "./render/network-commands.js";
export { nftRuleset } from "./render/nft-ruleset.js";
export { floodMac, renderFlood } from "./render/render-flood.js";
export { renderLink, renderLinkUp } from "./render/render-link.js";
export { renderMark } from "./render/render-mark.js";
export { renderRoute } from "./render/render-route.js";
export { renderRule } from "./render/render-rule.js";
export { renderSysctl } from "./render/render-sysctl.js";
export { txChecksumFeature } from "./render/render-tx-checksum.js";
export { shellWord } from "./render/shell-word.js";
