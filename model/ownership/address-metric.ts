/**
 * IFA_RT_PRIORITY of every address that we install: the metric of the route that the kernel would make for it. With
 * noprefixroute there is none, and the number is kept all the same, in both families (measured on 6.18 with iproute2 6.1,
 * which knows no protocol of addresses yet). The number of our interfaces' group, for the same reason.
 */
export const addressMetric = 118_118_118;
