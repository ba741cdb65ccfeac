benchstat -format csv order.txt
